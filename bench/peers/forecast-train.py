"""Training through NeuralForecast's `fit`: cases `MODEL/bBATCH`, one step timed."""

import torch

import forecasters
from forecasters import name_of  # noqa: F401

SERIES, LENGTH = 100, 124
ANSWER_STEPS = 8

forecasters.use_threads()


def variants(case: str) -> dict:
    model, batch = case.split("/b")
    frame = forecasters.panel(SERIES, LENGTH)
    fused = {"optimizer": torch.optim.Adam, "optimizer_kwargs": {"fused": True}}
    forms = {"fit": {}, "fit fused-adam": fused}
    return {
        form: lambda settings=settings: forecasters.Fit(model, int(batch), frame, **settings)
        for form, settings in forms.items()
    }


def answer(case: str, call):
    """The losses of eight steps over all windows of one series, from the weights of the other side."""
    model, batch = case.split("/b")
    forecaster = forecasters.forecaster(model, max_steps=ANSWER_STEPS, windows_batch_size=int(batch))
    for net in forecaster.models:
        forecasters.take_over(net, model)
    forecaster.fit(forecasters.panel(1, forecasters.models.INPUT + int(batch)), val_size=0)
    return [loss for _, loss in forecaster.models[0].train_trajectories]
