/** The head of a page's documents: what search engines, messengers and feed readers look for. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { PublicPage } from "../../../schema/page/PublicPage.ts"
import { imageUrl } from "../../domain/page/PublicUrl.ts"
import { statusFavicon } from "./Icons.tsx"

interface Head {
  readonly page: PublicPage["page"]
  readonly status: EffectiveStatus
  readonly title: string
  readonly summary: string
  readonly url: string
}

export const PageHead = ({ page, status, summary, title, url }: Head) => (
  <>
    <meta name="description" content={summary} />
    {page.seo.noindex === true ? <meta name="robots" content="noindex" /> : null}
    <link rel="canonical" href={url} />
    {page.settings.subscriptions?.rss === false ? null : (
      <>
        <link rel="alternate" type="application/rss+xml" title={page.name} href={`${page.url}/feed.rss`} />
        <link rel="alternate" type="application/atom+xml" title={page.name} href={`${page.url}/feed.atom`} />
      </>
    )}
    <link rel="icon" href={imageUrl(page.branding.faviconUrl) ?? statusFavicon(status, page.theme.preset)} />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content={page.name} />
    <meta property="og:title" content={title} />
    <meta property="og:description" content={summary} />
    <meta property="og:url" content={url} />
    <meta property="og:image" content={`${page.url}/status.png`} />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta name="twitter:card" content="summary_large_image" />
  </>
)
