"""A jet tagger in Lightning: 64 particles of 7 features each, 5 classes of jets.

    scripts/compile docs/examples/tagger_lightning.py -t v5e:2x2 --with lightning -o tagger.hlo.zst
"""
import lightning
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch_program import lightning_program

PARTICLES, FEATURES, CLASSES = 64, 7, 5


class Tagger(lightning.LightningModule):
    def __init__(self, width=256, rate=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.particle = nn.Sequential(nn.Linear(FEATURES, width), nn.ReLU(),
                                      nn.Linear(width, width), nn.ReLU(),
                                      nn.Linear(width, width), nn.ReLU(),
                                      nn.Linear(width, width), nn.ReLU())
        self.jet = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.1),
                                 nn.Linear(width, width), nn.ReLU(), nn.Linear(width, CLASSES))

    def forward(self, jets):
        return self.jet(self.particle(jets).sum(1))

    def training_step(self, batch, batch_idx):
        jets, label = batch
        loss = cross_entropy(self(jets), label)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.rate)


def program(mesh, batch=1024, width=256):
    """What scripts/compile calls: the step on all devices of the mesh, `batch` jets on each."""
    return lightning_program(mesh, Tagger(width),
                             [((batch, PARTICLES, FEATURES), "float32"), ((batch,), "int32")])
