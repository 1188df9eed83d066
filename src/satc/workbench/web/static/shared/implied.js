// Where a label implies those above it in the hierarchy: which of some labels
// follow from the others. `parents` has, for each class, the numbers of its parents.

const FEWEST_FOLDED = 2; // one implied label is as short as the words that would stand for it

// All that can be reached from a node by these steps.
export function reached(start, steps) {
  const found = new Set();
  const waiting = [...steps[start]];
  while (waiting.length) {
    const node = waiting.pop();
    if (!found.has(node)) {
      found.add(node);
      waiting.push(...steps[node]);
    }
  }
  return found;
}

// The labels to show, those that others imply last, and the implied ones that are folded into a
// number. Without `parents` no label implies another one.
export function foldImplied(labels, parents) {
  if (!parents) return { shown: labels, implied: [] };
  const above = new Set(labels.flatMap((label) => [...reached(label, parents)]));
  const own = labels.filter((label) => !above.has(label));
  const implied = labels.filter((label) => above.has(label));
  return implied.length < FEWEST_FOLDED ? { shown: [...own, ...implied], implied: [] } : { shown: own, implied };
}
