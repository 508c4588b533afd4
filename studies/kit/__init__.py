"""What the studies share: claims beside ours, repetitions, sections, pages."""
