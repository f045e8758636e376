/** The in-memory cache of status pages, and when each snapshot is due for a refresh. */
import type { Snapshot } from "../../domain/page/Snapshot.ts"

/** What changed since the snapshot was read. Page edits show immediately; events refresh at most once a second. */
export type Change = "none" | "event" | "edit"

export interface KeptPage {
  readonly snapshot: Snapshot
  /** ms since 1970 */
  readonly builtAt: number
  readonly change: Change
  /** When the last refresh failed, ms since 1970; null when it succeeded. */
  readonly failedAt: number | null
}

/** How long a snapshot is served before it is refreshed, ms. */
const freshFor: Record<Change, number> = { none: 30_000, event: 1_000, edit: 0 }

/** The pause after a failed refresh, ms. */
const failurePause = 5_000

export const isDue = ({ builtAt, change, failedAt }: KeptPage, now: number): boolean =>
  failedAt === null ? now - builtAt >= freshFor[change] : now - failedAt >= failurePause

const stronger = (a: Change, b: Change): Change => freshFor[a] <= freshFor[b] ? a : b

/** Keeps at most `capacity` pages and drops the least recently used first. */
export const makePageCache = (capacity: number) => {
  /** In order of last use. */
  const pages = new Map<string, KeptPage>()
  const keep = (slug: string, page: KeptPage) => {
    pages.delete(slug)
    pages.set(slug, page)
    const [oldest] = pages.keys()
    if (pages.size > capacity && oldest !== undefined) pages.delete(oldest)
  }
  return {
    keep,
    drop: (slug: string) => pages.delete(slug),
    use: (slug: string): KeptPage | undefined => {
      const page = pages.get(slug)
      if (page !== undefined) keep(slug, page)
      return page
    },
    /** Marks the pages affected by a change. */
    mark: (isAffected: (page: KeptPage, slug: string) => boolean, change: Change) => {
      for (const [slug, page] of pages) {
        if (isAffected(page, slug)) pages.set(slug, { ...page, change: stronger(page.change, change) })
      }
    },
    markFailed: (slug: string, now: number) => {
      const page = pages.get(slug)
      if (page !== undefined) pages.set(slug, { ...page, failedAt: now })
    }
  }
}
