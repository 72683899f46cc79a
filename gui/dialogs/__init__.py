"""Dialogs: questions that need more than a menu."""
