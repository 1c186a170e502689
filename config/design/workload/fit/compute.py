"""What a token costs to train and how long that takes at least, from plain figures.

FLOPs count a multiplication and an addition as two. Each function is one formula of fit.md, which prints
it in the same names.
"""

from __future__ import annotations


def matrix_flops(active_parameters: float) -> float:
    """FLOPs of a token, forward and backward, in the matrices that it goes through."""
    return 6 * active_parameters


def attention_flops(layers: float, hidden: float, sequence: float) -> float:
    """FLOPs of a token, forward and backward, in the attention over its sequence; no mask is deducted."""
    return 12 * layers * hidden * sequence


def training_flops(training_tokens: float, flops: float) -> float:
    """FLOPs of a whole run."""
    return training_tokens * flops


def utilization(reached_tflops: float, tflops: float) -> float:
    """Share of the peak that a run reaches (model FLOPs utilization)."""
    return reached_tflops / tflops


def seconds_at(tokens: float, flops: float, gpus: float, tflops: float) -> float:
    """Time for so many tokens at so many TFLOPS on each GPU."""
    return tokens * flops / gpus / tflops / 1e12


def bubble(pipeline: float, micro_batches: float) -> float:
    """Time that a pipeline waits, as a share of the time that it works: 1F1B without interleaving."""
    return (pipeline - 1) / micro_batches


def days_for(training_tokens: float, tokens_per_s: float) -> float:
    """Days for so many tokens."""
    return training_tokens / tokens_per_s / 86400
