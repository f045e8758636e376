/** A page of a list that goes on after the id of its last entry. `found` has one entry more than `limit` if others follow. */
export const listPage = <A extends { readonly id: unknown }>(found: ReadonlyArray<A>, limit: number) => {
  const data = found.slice(0, limit)
  const next: A["id"] | null = found.length > limit ? data.at(-1)?.id ?? null : null
  return { data, next }
}
