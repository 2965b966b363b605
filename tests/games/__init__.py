"""The built-in games beside their naive twins, their leaf counts and their constructors."""
