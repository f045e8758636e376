/** The list of probes for the operator. */

interface ListedProbe {
  readonly id: string
  readonly region: string
  readonly version: string
  /** ms since 1970. */
  readonly lastSeenAt: number
  readonly isRevoked: boolean
}

/** The row of a probe that beats is written at least every 40 s, ms. */
const alive = 60_000

const ageOf = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s ago`
  return seconds < 7_200
    ? `${Math.round(seconds / 60)} min ago`
    : seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h ago`
    : `${Math.round(seconds / 86_400)} days ago`
}

const head = ["id", "region", "state", "last seen", "version"]

/** Lines in columns, with a head. */
export const probeLines = (probes: ReadonlyArray<ListedProbe>, now: number): ReadonlyArray<string> => {
  const rows = [
    head,
    ...probes.map(({ id, isRevoked, lastSeenAt, region, version }) => [
      id,
      region,
      isRevoked ? "revoked" : now - lastSeenAt < alive ? "active" : "silent",
      ageOf(now - lastSeenAt),
      version
    ])
  ]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ").trimEnd())
}
