"""Slurm data of the catalogue: AWS PCS and Slurm settings."""
