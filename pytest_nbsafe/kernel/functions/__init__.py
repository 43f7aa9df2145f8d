"""Functions of the kernel: their code, what stands in for them, and what they lead to."""
