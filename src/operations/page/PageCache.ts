/** The memory of status pages: snapshots, with the time at which each is due for a refresh, and slugs without a page. */
import type { Snapshot } from "../../domain/page/snapshot/Snapshot.ts"
import { snapshotBytes } from "../../domain/page/snapshot/SnapshotBytes.ts"
import { makeByteCache } from "../../domain/tools/ByteCache.ts"

/** Changes since the snapshot was read. Page edits show immediately; events refresh at most once a second. */
export type Change = "none" | "event" | "edit"

export interface KeptPage {
  readonly snapshot: Snapshot
  /** ms since 1970 */
  readonly builtAt: number
  /** How long the read took, ms. */
  readonly tookMs: number
  readonly change: Change
  /** When the last refresh failed, ms since 1970; null when it succeeded. */
  readonly failedAt: number | null
}

/** How long a snapshot is served before it is refreshed, ms. */
const freshFor: Record<Change, number> = { none: 30_000, event: 1_000, edit: 0 }

/**
 * After an event, a page that is slow to read is served for so many times as long as that took, but never for more than
 * `slowest`, ms.
 */
const restAfterRead = 4
const slowest = 5_000

/** The pause after a failed refresh, ms. */
const failurePause = 5_000

const servedFor = ({ change, tookMs }: KeptPage): number =>
  change === "event" ? Math.min(slowest, Math.max(freshFor.event, restAfterRead * tookMs)) : freshFor[change]

export const isDue = (page: KeptPage, now: number): boolean =>
  page.failedAt === null ? now - page.builtAt >= servedFor(page) : now - page.failedAt >= failurePause

const stronger = (a: Change, b: Change): Change => freshFor[a] <= freshFor[b] ? a : b

/** Limits of all snapshots, and of those of one workspace. */
const bytes = 128 * 1024 * 1024
const bytesPerOwner = 32 * 1024 * 1024

/** Keeps at most `capacity` pages and drops the least recently used first. */
export const makePageCache = (capacity: number) => {
  const pages = makeByteCache<KeptPage>({ entries: capacity, bytes, bytesPerOwner })
  return {
    keep: (slug: string, page: KeptPage) => pages.keep(slug, page.snapshot.page.workspaceId, page, snapshotBytes(page.snapshot)),
    drop: pages.drop,
    use: pages.use,
    mark: (isAffected: (page: KeptPage, slug: string) => boolean, change: Change) =>
      pages.change((page, slug) => isAffected(page, slug) ? { ...page, change: stronger(page.change, change) } : page),
    markFailed: (failed: string, now: number) => pages.change((page, slug) => slug === failed ? { ...page, failedAt: now } : page)
  }
}

/** How long it is remembered that there is no page at a slug, ms; a new page ends it. */
const rememberedFor = 5_000

/** The most slugs without a page; beyond it the oldest is dropped. */
const mostMissing = 10_000

/** Remembers at which slugs there is no page, so that asking again reads nothing. */
export const makeMissingPages = () => {
  /** When each is forgotten, in order of time. */
  const missing = new Map<string, number>()
  return {
    add: (slug: string, now: number): void => {
      missing.delete(slug)
      missing.set(slug, now + rememberedFor)
      const [oldest] = missing.keys()
      if (missing.size > mostMissing && oldest !== undefined) missing.delete(oldest)
    },
    has: (slug: string, now: number): boolean => (missing.get(slug) ?? 0) > now,
    forget: (slug: string): void => void missing.delete(slug),
    forgetAll: (): void => missing.clear()
  }
}
