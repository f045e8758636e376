/** Remembers for some seconds at which slugs there is no page, so that asking again reads nothing. */

/** How long, ms; a new page ends it. */
const rememberedFor = 5_000

/** The most slugs; beyond it the oldest is dropped. */
const most = 10_000

export const makeMissingPages = () => {
  /** When each is forgotten, in order of time. */
  const missing = new Map<string, number>()
  return {
    add: (slug: string, now: number): void => {
      missing.delete(slug)
      missing.set(slug, now + rememberedFor)
      const [oldest] = missing.keys()
      if (missing.size > most && oldest !== undefined) missing.delete(oldest)
    },
    has: (slug: string, now: number): boolean => (missing.get(slug) ?? 0) > now,
    forget: (slug: string): void => void missing.delete(slug),
    forgetAll: (): void => missing.clear()
  }
}
