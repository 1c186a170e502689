"""Formulas for the FLOPs and the minimum time of training.

A multiplication and an addition count as two FLOPs. Each function is one formula in docs/reference/fit.md,
with the same names.
"""

from __future__ import annotations


def matrix_flops(active_parameters: float) -> float:
    """Return the FLOPs of a token in matrix multiplications, in the forward and the backward pass."""
    return 6 * active_parameters


def attention_flops(layers: float, hidden: float, sequence: float) -> float:
    """Return the FLOPs of a token in attention without a causal mask, in forward and backward pass."""
    return 12 * layers * hidden * sequence


def training_flops(training_tokens: float, flops: float) -> float:
    """Return the FLOPs of a whole run."""
    return training_tokens * flops


def utilization(reached_tflops: float, tflops: float) -> float:
    """Return the model FLOPs utilization, a share of the peak rate."""
    return reached_tflops / tflops


def seconds_at(tokens: float, flops: float, gpus: float, tflops: float) -> float:
    """Return the seconds for `tokens` at `tflops` on each GPU."""
    return tokens * flops / gpus / tflops / 1e12


def bubble(pipeline: float, micro_batches: float) -> float:
    """Return the bubble of a 1F1B pipeline without interleaving, as a share of the work time."""
    return (pipeline - 1) / micro_batches


def days_for(training_tokens: float, tokens_per_s: float) -> float:
    """Return the days for `training_tokens`."""
    return training_tokens / tokens_per_s / 86400
