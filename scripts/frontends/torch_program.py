"""torch_program.py - the training step of a PyTorch or Lightning module, for scripts/compile.

torchax traces PyTorch's own code, forward pass, loss and optimizer, as JAX; JAX takes the gradient.
Each device runs the step on its part of the batch, and gradients are averaged, as by
DistributedDataParallel.
"""
import jax
import torch
import torchax
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P
from torchax.interop import JittableModule, jax_view


def name_scopes(module):
    """Have each part of the module name what it computes, for the reports."""
    def inside(name, forward):
        def call(*args, **kwargs):
            with jax.named_scope(name):
                return forward(*args, **kwargs)
        return call

    for name, part in module.named_modules():
        if name:
            part.forward = inside(name.rpartition(".")[2], part.forward)


def optimizer_state(optimizer):
    """Its tensors after a first step, and what else it keeps, by the number of the parameter."""
    parameters = [p for g in optimizer.param_groups for p in g["params"]]
    for p in parameters:
        p.grad = torch.zeros_like(p)
    optimizer.step()
    states = [optimizer.state.get(p, {}) for p in parameters]
    tensors = [{k: v for k, v in s.items() if isinstance(v, torch.Tensor)} for s in states]
    return tensors, [{k: v for k, v in s.items() if k not in t} for s, t in zip(states, tensors)]


def torch_program(mesh, module, loss, make_optimizer, batch):
    """The step of `module` on all devices of the mesh, as scripts/compile takes it.

    loss(module, *batch) is a scalar, make_optimizer(parameters) an optimizer of torch.optim.
    batch: shape and dtype of each tensor for one device, as ((64, 3, 32, 32), "float32").
    """
    name_scopes(module)
    traced, env = JittableModule(module.train()), torchax.default_env()
    names = list(traced.params)
    copies = [torch.nn.Parameter(traced.params[n].detach().clone()) for n in names]
    tensors, rest = optimizer_state(make_optimizer(copies))

    def forward(weights, buffers, *batch):
        return traced.functional_call(loss, weights, buffers, *batch), buffers

    def update(weights, gradients, state):
        with torch.no_grad():
            parameters = [torch.nn.Parameter(weights[n], requires_grad=False) for n in names]
            optimizer = make_optimizer(parameters)
            for group in optimizer.param_groups:
                # nothing is read back while the step is traced, and no kernel is CUDA's
                group.update({k: k == "capturable" for k in ("capturable", "foreach", "fused")
                              if k in group})
            for p, n, known, more in zip(parameters, names, state, rest):
                p.grad = gradients[n]
                optimizer.state[p].update(more | known)
            optimizer.step()
            return dict(zip(names, parameters)), \
                [{k: optimizer.state[p][k] for k in known} for p, known in zip(parameters, state)]

    def step(weights, buffers, state, *batch):
        (value, buffers), gradient = jax.value_and_grad(jax_view(forward), has_aux=True)(
            weights, buffers, *batch)
        with jax.named_scope("update"):
            gradient = lax.pmean(gradient, "data")
            weights, state = jax_view(update)(weights, gradient, state)
        return weights, buffers, state, lax.pmean(value, "data")

    def of_jax(tree):
        return jax.tree.map(env.t2j_copy, tree, is_leaf=lambda x: isinstance(x, torch.Tensor))

    divided = NamedSharding(mesh, P("data"))
    batch = [jax.ShapeDtypeStruct((shape[0] * mesh.size, *shape[1:]), dtype, sharding=divided)
             for shape, dtype in batch]
    whole = jax.shard_map(step, mesh=mesh, in_specs=(P(), P(), P()) + (P("data"),) * len(batch),
                          out_specs=P(), check_vma=False)
    return (jax.jit(whole, donate_argnums=(0, 1, 2)),
            (of_jax(dict(traced.params)), of_jax(dict(traced.buffers)), of_jax(tensors), *batch),
            {"samples": batch[0].shape[0] // mesh.size})


def lightning_program(mesh, module, batch):
    """The same of a LightningModule: its training_step and its configure_optimizers; no Trainer.

    One optimizer and automatic optimization; schedulers and callbacks are left out, and so is what
    self.log writes.
    """
    configured = module.configure_optimizers()
    if isinstance(configured, dict):
        configured = configured["optimizer"]
    if isinstance(configured, (list, tuple)):
        configured = configured[0][0] if isinstance(configured[0], (list, tuple)) else configured[0]
    options = [{k: v for k, v in g.items() if k != "params"} for g in configured.param_groups]
    if len(options) > 1:
        raise ValueError("configure_optimizers: expected one group of parameters, "
                         f"not {len(options)}")
    module.log = module.log_dict = lambda *a, **k: None

    def loss(module, *batch):
        result = module.training_step(batch if len(batch) > 1 else batch[0], 0)
        return result["loss"] if isinstance(result, dict) else result

    def make_optimizer(parameters):
        return type(configured)([{"params": parameters, **options[0]}])

    return torch_program(mesh, module, loss, make_optimizer, batch)
