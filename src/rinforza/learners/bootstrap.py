"""Bootstrap masks: which head of an ensemble a record trains (Osband et al. 2016, section 3)."""

import numpy as np

from ..compiled.random import uniform
from ..contracts.learner import column


def draw_masks(self, batch, masks_column, length, stream):
    """Draw a mask for each head of `length` rows, 1 with probability `bootstrap_p`; certain ones are not drawn."""
    heads = batch.heads
    masks = column(batch, masks_column, (batch.first_row + length) * heads, np.float32)
    for place in range(batch.first_row * heads, (batch.first_row + length) * heads):
        if self.bootstrap_p >= 1.0:
            masks[place] = 1.0
        else:
            masks[place] = 1.0 if uniform(stream) < self.bootstrap_p else 0.0
