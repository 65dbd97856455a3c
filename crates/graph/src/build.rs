//! Writing a graph: [`Builder`] holds it, [`Var`] is a copyable handle to one of its values.
//!
//! Each operation adds its own methods to `Var` in its own file under `ops/`.

use crate::error::{Operand, Operands};
use crate::graph::{Output, Update};
use crate::ops::{Constant, Init, Input, Role, State};
use crate::{Graph, GraphError, Op, Operation, Type, ValueId};
use std::cell::RefCell;
use std::panic::Location;
use whimbrel_tensor::Shape;

/// A graph under construction.
#[derive(Debug, Default)]
pub struct Builder {
    graph: RefCell<Graph>,
}

/// A value of the graph under construction.
#[derive(Clone, Copy)]
pub struct Var<'g> {
    builder: &'g Builder,
    id: ValueId,
}

impl Builder {
    /// An empty graph.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// An input bound before each run.
    #[track_caller]
    pub fn input(&self, name: &str, ty: impl Into<Type>) -> Result<Var<'_>, GraphError> {
        let input = Input { name: name.into(), ty: ty.into(), batch: false };
        self.leaf(name, Op::Input(input))
    }

    /// An input whose last axis is the batch: its items are independent of each other, and plans
    /// may cut the work between them.
    #[track_caller]
    pub fn batch(&self, name: &str, ty: impl Into<Type>) -> Result<Var<'_>, GraphError> {
        let input = Input { name: name.into(), ty: ty.into(), batch: true };
        self.leaf(name, Op::Input(input))
    }

    /// A trainable value that lives as long as the session.
    #[track_caller]
    pub fn parameter(
        &self,
        name: &str,
        ty: impl Into<Type>,
        init: Init,
    ) -> Result<Var<'_>, GraphError> {
        self.state(name, ty, init, Role::Parameter)
    }

    /// A value that lives as long as the session: optimiser state, data tables, statistics.
    #[track_caller]
    pub fn state(
        &self,
        name: &str,
        ty: impl Into<Type>,
        init: Init,
        role: Role,
    ) -> Result<Var<'_>, GraphError> {
        self.leaf(name, Op::State(State { name: name.into(), ty: ty.into(), init, role }))
    }

    /// A constant without axes.
    #[track_caller]
    pub fn scalar(&self, value: f32) -> Var<'_> {
        self.constant(Shape::SCALAR, vec![value])
    }

    /// A constant array; `data` has one element, or one for each of the shape.
    #[track_caller]
    pub fn constant(&self, shape: impl Into<Shape>, data: Vec<f32>) -> Var<'_> {
        let constant = Constant::new(shape.into(), data);
        let ty = Type::f32(constant.shape);
        let ids = self.graph.borrow_mut().push(
            Op::Constant(constant),
            Vec::new(),
            vec![ty],
            Location::caller(),
        );
        Var { builder: self, id: ids[0] }
    }

    #[track_caller]
    fn leaf(&self, name: &str, op: Op) -> Result<Var<'_>, GraphError> {
        let at = Location::caller();
        {
            let graph = self.graph.borrow();
            let mut leaves = graph.inputs().chain(graph.state());
            if leaves.any(|id| graph.value(id).name.as_deref() == Some(name)) {
                return Err(GraphError::DuplicateName { name: name.into(), at });
            }
        }
        let var = self.apply(op, &[])?[0];
        Ok(var.named(name))
    }

    /// Applies an operation, checking its operands.
    #[track_caller]
    pub fn apply<'g>(&'g self, op: Op, inputs: &[Var<'g>]) -> Result<Vec<Var<'g>>, GraphError> {
        let at = Location::caller();
        self.own(op.name(), inputs, at)?;
        let mut graph = self.graph.borrow_mut();
        let ids: Vec<_> = inputs.iter().map(|v| v.id).collect();
        let types = graph.types(&ids);
        let inferred = op.infer(&types).map_err(|reason| {
            let operands =
                ids.iter().map(|&id| Operand { name: graph.label(id), ty: graph.ty(id) });
            let operands = Operands(operands.collect());
            GraphError::Mismatch { op: op.name(), reason, operands, at }
        })?;
        let outputs = graph.push(op, ids, inferred, at);
        Ok(outputs.into_iter().map(|id| Var { builder: self, id }).collect())
    }

    /// Names a result of the graph. A value of another graph is an error when this one is finished.
    pub fn output(&self, name: &str, value: Var<'_>) {
        let own = std::ptr::eq(value.builder, self);
        let value = if own { value.id } else { ValueId(u32::MAX) };
        self.graph.borrow_mut().outputs.push(Output { name: name.into(), value });
    }

    /// Lets `state` hold `value` after each run.
    #[track_caller]
    pub fn update(&self, state: Var<'_>, value: Var<'_>) -> Result<(), GraphError> {
        let at = Location::caller();
        self.own("update", &[state, value], at)?;
        let mut graph = self.graph.borrow_mut();
        let mismatch = |reason: &str| {
            let operands =
                [state, value].map(|v| Operand { name: graph.label(v.id), ty: graph.ty(v.id) });
            let operands = Operands(operands.into());
            Err(GraphError::Mismatch { op: "update", reason: reason.into(), operands, at })
        };
        if !matches!(graph.op_of(state.id), Op::State(_)) {
            return mismatch("only state can be updated");
        }
        if graph.ty(state.id) != graph.ty(value.id) {
            return mismatch("types differ");
        }
        if graph.updates.iter().any(|u| u.state == state.id) {
            return mismatch("the state has an update already");
        }
        graph.updates.push(Update { state: state.id, value: value.id });
        Ok(())
    }

    /// What `state` will hold after a run, if that is something else than now.
    pub fn updated(&self, state: Var<'_>) -> Option<Var<'_>> {
        let graph = self.graph.borrow();
        let update = graph.updates.iter().find(|update| update.state == state.id)?;
        Some(Var { builder: self, id: update.value })
    }

    /// The name of a value as messages have it: given, or `%12`.
    pub fn label(&self, value: Var<'_>) -> String {
        self.graph.borrow().label(value.id)
    }

    /// Parameters declared so far, in order.
    pub fn parameters(&self) -> Vec<Var<'_>> {
        let graph = self.graph.borrow();
        let is_parameter = |id: &ValueId| {
            matches!(graph.op_of(*id), Op::State(State { role: Role::Parameter, .. }))
        };
        let ids: Vec<_> = graph.state().filter(is_parameter).collect();
        ids.into_iter().map(|id| Var { builder: self, id }).collect()
    }

    /// Statistics declared so far, in order: state that a run changes but that is neither trained nor the
    /// optimiser's.
    pub fn statistics(&self) -> Vec<Var<'_>> {
        let graph = self.graph.borrow();
        let is_table =
            |id: &ValueId| matches!(graph.op_of(*id), Op::State(State { role: Role::Table, .. }));
        let states = graph.updates.iter().map(|update| update.state);
        let ids: Vec<_> = states.filter(is_table).collect();
        ids.into_iter().map(|id| Var { builder: self, id }).collect()
    }

    /// The finished, verified graph.
    pub fn finish(self) -> Result<Graph, GraphError> {
        let graph = self.graph.into_inner();
        graph.verify()?;
        Ok(graph)
    }

    /// Checks that values belong to this graph.
    pub(crate) fn own(
        &self,
        op: &'static str,
        values: &[Var<'_>],
        at: &'static Location<'static>,
    ) -> Result<(), GraphError> {
        match values.iter().all(|v| std::ptr::eq(v.builder, self)) {
            true => Ok(()),
            false => Err(GraphError::ForeignValue { op, at }),
        }
    }

    /// Reads the graph built so far.
    pub(crate) fn with<R>(&self, read: impl FnOnce(&Graph) -> R) -> R {
        read(&self.graph.borrow())
    }

    /// The handle of a value of this graph.
    pub(crate) fn var(&self, id: ValueId) -> Var<'_> {
        Var { builder: self, id }
    }
}

impl<'g> Var<'g> {
    /// The graph this value belongs to.
    pub fn builder(self) -> &'g Builder {
        self.builder
    }

    /// Its identity in the graph.
    pub fn id(self) -> ValueId {
        self.id
    }

    /// Its element type and shape.
    pub fn ty(self) -> Type {
        self.builder.graph.borrow().ty(self.id)
    }

    /// Its shape.
    pub fn shape(self) -> Shape {
        self.ty().shape
    }

    /// The name errors, dumps and traces use for it.
    pub fn named(self, name: &str) -> Var<'g> {
        let mut graph = self.builder.graph.borrow_mut();
        graph.values[self.id.index()].name = Some(name.into());
        self
    }

    /// The error that this value does not fit, at the caller's line.
    #[track_caller]
    pub(crate) fn mismatch(self, op: &'static str, reason: String) -> GraphError {
        let name = self.builder.graph.borrow().label(self.id);
        let operands = Operands(vec![Operand { name, ty: self.ty() }]);
        GraphError::Mismatch { op, reason, operands, at: Location::caller() }
    }

    /// Applies an operation with this value as only operand and one result.
    #[track_caller]
    pub(crate) fn apply(self, op: Op) -> Result<Var<'g>, GraphError> {
        Ok(self.builder.apply(op, &[self])?[0])
    }
}

impl std::fmt::Debug for Var<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} {}", self.builder.graph.borrow().label(self.id), self.ty())
    }
}
