/** Addresses made from names: page slugs and component keys. */
import { Schema } from "effect"
import { Slug } from "../../../schema/page/Page.ts"
import { withoutTrailing } from "../TrimText.ts"

const isSlug = Schema.is(Slug)

/** Letters that Unicode does not take apart into a base letter and a mark. */
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

/** Never a page: they are, or may become, addresses of the service itself, or read like them. */
const reserved = new Set([
  "about",
  "account",
  "admin",
  "api",
  "app",
  "assets",
  "auth",
  "badge",
  "billing",
  "blog",
  "claim",
  "dashboard",
  "docs",
  "embed",
  "favicon",
  "hb",
  "healthz",
  "help",
  "heartbeat",
  "incidents",
  "legal",
  "login",
  "logout",
  "mail",
  "mcp",
  "metrics",
  "new",
  "null",
  "openapi",
  "pages",
  "pricing",
  "privacy",
  "public",
  "push",
  "readyz",
  "robots",
  "security",
  "settings",
  "signin",
  "signup",
  "sitemap",
  "sso",
  "static",
  "status",
  "stream",
  "support",
  "terms",
  "undefined",
  "unsubscribe",
  "www"
])

export const isReserved = (slug: string): boolean => reserved.has(slug)

const longestSlug = 48

/** What is left of a name in a-z, 0-9 and single hyphens; empty when nothing is. */
const plain = (name: string, longest: number): string =>
  name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[ßæœøłđðþıäöü]/g, (letter) => spellings[letter] ?? letter)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/['’]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longest)
    .replace(/^-|-$/g, "")

/** A slug from a page's name. A name without Latin letters or digits gives `status-page`. */
export const slugOf = (name: string): string => {
  const slug = plain(name, longestSlug)
  if (slug === "") return "status-page"
  // Two characters are no slug by its pattern, and a reserved word is somebody else's address.
  return slug.length === 2 || isReserved(slug) ? `${slug}-status` : slug
}

/** A machine key from a component's name. */
export const keyOf = (name: string): string => plain(name, 60) || "component"

/** The `attempt`-th spelling of a base: itself, then `-2`, `-3` and so on, never longer than `longest`. */
export const numbered = (base: string, attempt: number, longest: number = longestSlug): string => {
  if (attempt <= 1) return base
  const suffix = `-${attempt}`
  return `${withoutTrailing(base.slice(0, longest - suffix.length), "-")}${suffix}`
}

/** The first spelling of `base` that is not taken. */
export const firstFree = (base: string, taken: ReadonlySet<string>, longest: number = longestSlug): string => {
  let attempt = 1
  while (taken.has(numbered(base, attempt, longest))) attempt++
  return numbered(base, attempt, longest)
}

/** The slug that a mistyped upper-case one means; anything else that is no slug stays as it is. */
export const lowerCaseSlug = (slug: string): string => {
  const lowerCase = slug.toLowerCase()
  return isSlug(lowerCase) ? lowerCase : slug
}
