"""The network of the sample `swiglu_decoder`: RMSNorm, rotary positions, grouped-query attention, SwiGLU, usual names.

needs: pip install torch
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS = 3
WIDTH = 96
INNER = 256
HEADS = 4
KV_HEADS = 2
HEAD_DIM = WIDTH // HEADS
BASE = 10_000.0


class RMSNorm(nn.Module):
    """x / sqrt(mean(x^2) + eps) * weight."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """[..., width] to the same."""
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


class Attention(nn.Module):
    """Causal self-attention in which two query heads share one key and value head."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.length = length
        self.q_proj = nn.Linear(WIDTH, HEADS * HEAD_DIM, bias=False)
        self.k_proj = nn.Linear(WIDTH, KV_HEADS * HEAD_DIM, bias=False)
        self.v_proj = nn.Linear(WIDTH, KV_HEADS * HEAD_DIM, bias=False)
        self.o_proj = nn.Linear(HEADS * HEAD_DIM, WIDTH, bias=False)

    def split(self, x: Tensor, heads: int) -> Tensor:
        """[batch, length, heads * dim] to [batch, heads, length, dim]."""
        return x.view(-1, self.length, heads, HEAD_DIM).transpose(1, 2)

    def shared(self, x: Tensor) -> Tensor:
        """Give every query head its own view of the key or value head that it shares."""
        spread = x.unsqueeze(2).expand(-1, -1, HEADS // KV_HEADS, -1, -1)
        return spread.reshape(-1, HEADS, self.length, HEAD_DIM)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        """[batch, length, width] to the same; cos and sin are [length, dim], mask [length, length]."""
        query = rotate(self.split(self.q_proj(x), HEADS), cos, sin)
        key = self.shared(rotate(self.split(self.k_proj(x), KV_HEADS), cos, sin))
        value = self.shared(self.split(self.v_proj(x), KV_HEADS))
        scores = query @ key.transpose(-1, -2) * HEAD_DIM**-0.5 + mask
        mixed = torch.softmax(scores, -1) @ value
        return self.o_proj(mixed.transpose(1, 2).reshape(-1, self.length, HEADS * HEAD_DIM))


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary position embedding, halves layout: x * cos + (-x2, x1) * sin."""
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat([-high, low], -1) * sin


class MLP(nn.Module):
    """SwiGLU: down(silu(gate(x)) * up(x))."""

    def __init__(self) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(WIDTH, INNER, bias=False)
        self.up_proj = nn.Linear(WIDTH, INNER, bias=False)
        self.down_proj = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """[..., width] to the same."""
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    """Attention and MLP, each behind a norm and beside a residual path."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(WIDTH)
        self.self_attn = Attention(length)
        self.post_attention_layernorm = RMSNorm(WIDTH)
        self.mlp = MLP()

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        """[batch, length, width] to the same."""
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    """Embedding, layers, last norm."""

    cos: Tensor
    sin: Tensor
    mask: Tensor

    def __init__(self, vocabulary: int, length: int) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, WIDTH)
        self.layers = nn.ModuleList(DecoderLayer(length) for _ in range(LAYERS))
        self.norm = RMSNorm(WIDTH)
        speed = BASE ** -(torch.arange(0, HEAD_DIM, 2) / HEAD_DIM)
        angle = (torch.arange(length)[:, None] * speed).repeat(1, 2)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)
        self.register_buffer("mask", torch.full((length, length), -1e4).triu(1), persistent=False)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Token ids [batch, length] to states [batch, length, width]."""
        x = self.embed_tokens(input_ids)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin, self.mask)
        return self.norm(x)


class DecoderForCausalLM(nn.Module):
    """Decoder and its head."""

    def __init__(self, vocabulary: int, length: int) -> None:
        super().__init__()
        self.model = Decoder(vocabulary, length)
        self.lm_head = nn.Linear(WIDTH, vocabulary, bias=False)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Token ids [batch, length] to logits [batch, length, vocabulary]."""
        return self.lm_head(self.model(input_ids))
