/** Derives page slugs and component keys from names. */
import { Schema } from "effect"
import { Slug } from "../../../schema/page/Page.ts"
import { withoutTrailing } from "../tools/text/TrimText.ts"

const isSlug = Schema.is(Slug)

/** Letters that Unicode does not decompose, and umlauts with their usual spelling. */
const spellings: Record<string, string> = {
  "ß": "ss",
  "æ": "ae",
  "œ": "oe",
  "ø": "o",
  "ł": "l",
  "đ": "d",
  "ð": "d",
  "þ": "th",
  "ı": "i",
  "ä": "ae",
  "ö": "oe",
  "ü": "ue"
}

/** Slugs that no page may use: paths of the service itself, now or later, and words that look like such paths. */
const reserved = new Set(
  (
    "about account admin api app assets auth badge billing blog claim dashboard docs embed favicon hb healthz help heartbeat incidents " +
    "legal login logout mail mcp metrics new null openapi pages pricing privacy public push readyz robots security settings signin " +
    "signup sitemap sso static status stream support terms undefined unsubscribe www"
  ).split(" ")
)

export const isReserved = (slug: string): boolean => reserved.has(slug)

const maxSlugLength = 48

/** Reduces a name to a-z, 0-9 and single hyphens; may be empty. */
const plain = (name: string, maxLength: number): string =>
  name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[ßæœøłđðþıäöü]/g, (letter) => spellings[letter] ?? letter)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/['’]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-|-$/g, "")

/** A slug from a page's name. A name without Latin letters or digits gives `status-page`. */
export const slugOf = (name: string): string => {
  const slug = plain(name, maxSlugLength)
  if (slug === "") return "status-page"
  // The slug pattern rejects two characters, and reserved words are not allowed.
  return slug.length === 2 || isReserved(slug) ? `${slug}-status` : slug
}

export const keyOf = (name: string): string => plain(name, 60) || "component"

/** Candidate number `attempt` for a base: the base itself, then `-2`, `-3` and so on; at most `maxLength` characters. */
export const numbered = (base: string, attempt: number, maxLength: number = maxSlugLength): string => {
  if (attempt <= 1) return base
  const suffix = `-${attempt}`
  return `${withoutTrailing(base.slice(0, maxLength - suffix.length), "-")}${suffix}`
}

export const firstFree = (base: string, taken: ReadonlySet<string>, maxLength: number = maxSlugLength): string => {
  let attempt = 1
  while (taken.has(numbered(base, attempt, maxLength))) attempt++
  return numbered(base, attempt, maxLength)
}

/** Lower-cases a slug that is valid apart from its case; returns any other text unchanged. */
export const lowerCaseSlug = (slug: string): string => {
  const lowerCase = slug.toLowerCase()
  return isSlug(lowerCase) ? lowerCase : slug
}
