/** Groups spans by owner. */

/** Keeps the order of the rows. Owners without rows are absent. */
export const spansByOwner = <Owner, Span>(
  rows: Iterable<{ readonly owner: Owner; readonly span: Span }>
): ReadonlyMap<Owner, ReadonlyArray<Span>> => {
  const spans = new Map<Owner, Array<Span>>()
  for (const { owner, span } of rows) {
    const before = spans.get(owner)
    if (before === undefined) spans.set(owner, [span])
    else before.push(span)
  }
  return spans
}
