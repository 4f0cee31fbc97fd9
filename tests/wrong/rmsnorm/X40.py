# a subclass of nn.RMSNorm
# group: interface
# slugs: scale-renamed
from torch import nn


class RMSNorm(nn.RMSNorm):
    def __init__(self, width, eps=1e-5):
        super().__init__(width, eps=eps)
