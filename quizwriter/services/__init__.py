"""What windows and commands both ask for."""
