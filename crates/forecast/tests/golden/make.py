"""Writes the golden data of this folder: what NeuralForecast's models make of small windows.

    .venv/bin/python crates/forecast/tests/golden/make.py

Everything is in Whimbrel's layout, the batch last.
"""

import logging
import pathlib
import sys
import warnings

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "nn" / "tests" / "golden"))
warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

from fixture import Fixture, randn, representable  # noqa: E402
from neuralforecast.losses.pytorch import MAE, MQLoss  # noqa: E402
from neuralforecast.models import GRU, LSTM, MLP, NBEATS, NHITS, RNN, TCN, DLinear, NLinear  # noqa: E402

FIXTURE = Fixture("models", HERE)
BATCH = 3
HIST, FUTR, STAT = ["a", "b"], ["c"], ["d", "e"]


def flat(x):
    """[batch, channel] to [channel, batch]."""
    return x.T


def steps(x):
    """[batch, time, channel] to [time, channel, batch]."""
    return x.permute(1, 2, 0)


def parameter_layout(x):
    """Weights of convolutions have the taps first."""
    return x.permute(2, 0, 1) if x.dim() == 3 else x


def case(name, model, settings, h=4, input_size=10, exogenous=False, masked=False, outputs=1, **arguments):
    """`settings` are those of both sides, under NeuralForecast's names."""
    lists = dict(hist_exog_list=HIST, futr_exog_list=FUTR, stat_exog_list=STAT) if exogenous else {}
    quantiles = [(i + 1) / (outputs + 1) for i in range(outputs)]
    loss = MAE() if outputs == 1 else MQLoss(quantiles=quantiles)
    network = model(h=h, input_size=input_size, loss=loss, **settings, **arguments, **lists).double().eval()
    for parameter in network.parameters():
        parameter.data = representable(0.5 * torch.randn_like(parameter) if parameter.requires_grad else parameter)
    mask = torch.ones(BATCH, input_size, 1)
    if masked:
        mask[1, :3] = 0
        mask[2, :7] = 0
    window = dict(
        insample_y=randn(BATCH, input_size, 1) * mask,
        insample_mask=mask,
        hist_exog=randn(BATCH, input_size, len(HIST)) if exogenous else None,
        futr_exog=randn(BATCH, input_size + h, len(FUTR)) if exogenous else None,
        stat_exog=randn(BATCH, len(STAT)) if exogenous else None,
    )
    tensors = {"y": flat(window["insample_y"].squeeze(-1)), "forecast": steps(network(window))}
    if masked:
        tensors["mask"] = flat(mask.squeeze(-1))
    if exogenous:
        tensors |= {"historic": steps(window["hist_exog"]), "future": steps(window["futr_exog"]),
                    "fixed": flat(window["stat_exog"])}
    for parameter, tensor in network.named_parameters():
        if tensor.requires_grad:
            tensors[f"state/{parameter}"] = parameter_layout(tensor)
    FIXTURE.add(name, {"type": model.__name__} | settings, tensors)


torch.set_default_dtype(torch.float64)
torch.manual_seed(7)

case("nlinear", NLinear, {})
case("nlinear_quantiles", NLinear, {}, outputs=3)
case("dlinear", DLinear, {"moving_avg_window": 5})
case("dlinear_wide_average", DLinear, {"moving_avg_window": 25}, outputs=3)
case("mlp", MLP, {"num_layers": 3, "hidden_size": 7})
case("mlp_exogenous", MLP, {"hidden_size": 7}, exogenous=True, outputs=3)
for kind, model in [("rnn", RNN), ("lstm", LSTM), ("gru", GRU)]:
    sizes = {"encoder_hidden_size": 5, "decoder_hidden_size": 6}
    case(kind, model, sizes)
    case(f"{kind}_exogenous", model, sizes | {"decoder_layers": 3}, exogenous=True, outputs=3)
    case(f"{kind}_long_horizon", model, sizes | {"decoder_activation": "Tanh"}, h=7, input_size=5)
# Its encoder_activation is not among the cases: NeuralForecast takes it and does not use it.
case("rnn_plain", RNN, {"encoder_hidden_size": 5, "encoder_bias": False, "decoder_layers": 1})
sizes = {"encoder_hidden_size": 5, "decoder_hidden_size": 6}
case("tcn", TCN, sizes)
case("tcn_exogenous", TCN, sizes | {"kernel_size": 3, "dilations": [1, 3], "encoder_activation": "Tanh"},
     exogenous=True, outputs=3)
case("nbeats", NBEATS, {"mlp_units": [[6, 6]] * 2})
case("nbeats_masked_quantiles", NBEATS,
     {"mlp_units": [[6, 6]] * 2, "stack_types": ["trend", "seasonality", "identity"], "n_blocks": [1, 2, 1],
      "n_basis": 3, "n_harmonics": 3, "activation": "SELU"}, h=5, masked=True, outputs=3)
case("nhits", NHITS, {"mlp_units": [[6, 6]] * 2})
case("nhits_masked_exogenous", NHITS,
     {"mlp_units": [[6, 6]] * 2, "n_pool_kernel_size": [4, 3, 1], "n_freq_downsample": [8, 3, 1],
      "activation": "LeakyReLU"}, h=6, masked=True, exogenous=True, outputs=3)
case("nhits_average_nearest", NHITS,
     {"mlp_units": [[6, 6]] * 2, "pooling_mode": "AvgPool1d", "interpolation_mode": "nearest",
      "n_pool_kernel_size": [3, 2, 1]}, h=7)
case("nhits_cubic", NHITS, {"mlp_units": [[6, 6]] * 2, "interpolation_mode": "cubic"}, h=9)
sizes = {"encoder_hidden_size": 3, "decoder_hidden_size": 4}
for kind, model in [("rnn", RNN), ("lstm", LSTM), ("gru", GRU)]:
    case(f"{kind}_one_layer", model, sizes | {"encoder_n_layers": 1, "decoder_activation": "Sigmoid"}, h=3, input_size=5)
    case(f"{kind}_three_layers", model,
         sizes | {"encoder_n_layers": 3, "encoder_bias": False, "decoder_activation": "Softplus"}, h=3, input_size=5)
case("tcn_no_decoder_layers", TCN, sizes | {"dilations": [1, 2], "decoder_layers": 0}, h=3, input_size=5)
case("nbeats_no_harmonics", NBEATS, {"mlp_units": [[4, 4]], "n_harmonics": 0, "activation": "Sigmoid"}, outputs=3)
# Layers that are left out in evaluation count in the names.
case("nhits_dropout", NHITS, {"mlp_units": [[4, 4]] * 2, "dropout_prob_theta": 0.3, "activation": "Softplus"})
# At step 49 two parts meet, which a quotient in f64 falls short of.
case("nhits_nearest_rounded", NHITS,
     {"mlp_units": [[4, 4]], "interpolation_mode": "nearest", "n_pool_kernel_size": [4, 2, 1],
      "n_freq_downsample": [24, 6, 3]}, h=98, input_size=8)
FIXTURE.write()
