# eps never used
# group: eps
# slugs: eps-missing
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean_square = torch.mean(x * x, dim=-1, keepdim=True)
        return self.scale * (x * torch.rsqrt(mean_square))
