# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small convolutional network; prints the last loss, and the median time in seconds of five steps."""

import time

import torch

torch.manual_seed(0)
images, labels = torch.randn(16, 16, 32, 32), torch.randint(0, 10, (16,))
convolution = torch.nn.Conv2d(16, 32, 3, padding=1)
model = torch.nn.Sequential(
    convolution, torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(32 * 256, 10)
)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
taken = []
for _ in range(9):
    begin = time.perf_counter()
    for _ in range(5):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    taken.append(time.perf_counter() - begin)
print(f"loss {loss.item():.2f}")
print(f"seconds {sorted(taken[2:])[3]:.6f}")
