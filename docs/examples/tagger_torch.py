"""A jet tagger in PyTorch: 64 particles of 7 features each, 5 classes of jets.

    scripts/compile docs/examples/tagger_torch.py -t v5e:2x2 --with torch -o tagger.hlo.zst
"""
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch_program import torch_program

PARTICLES, FEATURES, CLASSES = 64, 7, 5


class Tagger(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.particle = nn.Sequential(nn.Linear(FEATURES, width), nn.ReLU(),
                                      nn.Linear(width, width), nn.ReLU(),
                                      nn.Linear(width, width), nn.ReLU(),
                                      nn.Linear(width, width), nn.ReLU())
        self.jet = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.1),
                                 nn.Linear(width, width), nn.ReLU(), nn.Linear(width, CLASSES))

    def forward(self, jets):
        return self.jet(self.particle(jets).sum(1))


def program(mesh, batch=1024, width=256):
    """What scripts/compile calls: the step on all devices of the mesh, `batch` jets on each."""
    return torch_program(mesh, Tagger(width),
                         loss=lambda tagger, jets, label: cross_entropy(tagger(jets), label),
                         make_optimizer=lambda weights: torch.optim.AdamW(weights, lr=1e-3),
                         batch=[((batch, PARTICLES, FEATURES), "float32"), ((batch,), "int32")])
