/** The sitemap (sitemaps.org 0.9) and the robots.txt (RFC 9309) of a page. */
import { DateTime } from "effect"
import { xmlText } from "../domain/tools/text/XmlText.ts"
import type { IncidentLink } from "../operations/page/PublicIncidents.ts"
import type { PublicView } from "./PublicView.ts"

const entry = (url: string, changed: DateTime.Utc | null): string =>
  `<url><loc>${xmlText(url)}</loc>${changed === null ? "" : `<lastmod>${DateTime.formatIso(changed)}</lastmod>`}</url>`

export const sitemap = ({ page: { page } }: PublicView, links: ReadonlyArray<IncidentLink>): string =>
  `<?xml version="1.0" encoding="utf-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
  (page.seo.noindex === true ? "" : [
    entry(page.url, null),
    entry(`${page.url}/history`, null),
    ...links.map(({ changedAt, id }) => entry(`${page.url}/incidents/${id}`, changedAt))
  ].join("")) +
  "</urlset>"

export const robots = ({ page: { page } }: PublicView): string =>
  page.seo.noindex === true
    ? "User-agent: *\nDisallow: /\n"
    : `User-agent: *\nAllow: /\nSitemap: ${page.url}/sitemap.xml\n`
