"""Training: the networks of a bundle, the ensemble that orders their guesses, and a buzzer for each player.

This package fits weights and writes them into a bundle. Nothing here reads a file of questions or plays for a
writer: :mod:`quizwriter.engine` does that, and needs nothing of this package. Importing it loads torch,
which takes seconds; other modules therefore import it inside the functions that train, as those here do
with scikit-learn.
"""

import os

# Where others use the cores, threads that spin while they wait for each other take ten times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
