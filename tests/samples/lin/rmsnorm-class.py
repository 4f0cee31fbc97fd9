class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)  # LayerNorm's habit
        return self.scale * centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + self.eps)
