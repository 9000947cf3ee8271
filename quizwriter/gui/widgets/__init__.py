"""What two windows would otherwise both write."""
