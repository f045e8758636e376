/** The body of a status page. */
import { DateTime } from "effect"
import type { Branding, Theme } from "../../../schema/page/Page.ts"
import { imageUrl, linkUrl } from "../../domain/page/PublicUrl.ts"
import { Components } from "./Components.tsx"
import type { PageContext } from "./Context.ts"
import { StatusIcon } from "./Icons.tsx"
import { ActiveIncidents, Maintenances, PastIncidents } from "./Incidents.tsx"
import { isSubscribable, SubscribeDialog } from "./Subscribe.tsx"

interface Part {
  readonly context: PageContext
}

interface Link {
  readonly label: string
  readonly href: string
}

const linksOf = (links: ReadonlyArray<{ readonly label: string; readonly url: string }> | undefined): ReadonlyArray<Link> =>
  (links ?? []).flatMap(({ label, url }) => {
    const href = linkUrl(url)
    return href === null ? [] : [{ label, href }]
  })

const Links = ({ links }: { readonly links: ReadonlyArray<Link> }) =>
  links.length === 0 ? null : (
    <ul>
      {links.map(({ href, label }) => (
        <li>
          <a href={href} rel="noopener">{label}</a>
        </li>
      ))}
    </ul>
  )

export const Logo = ({ branding, mode, name }: {
  readonly branding: Branding
  readonly mode: Theme["mode"]
  readonly name: string
}) => {
  const light = imageUrl(branding.logoUrl)
  const dark = imageUrl(branding.logoDarkUrl)
  const shown = mode === "dark" ? dark ?? light : light ?? dark
  if (shown === null) return <>{branding.logoText ?? name}</>
  return (
    <picture>
      {mode === undefined && dark !== null ? <source srcset={dark} media="(prefers-color-scheme: dark)" /> : null}
      <img src={shown} alt={branding.logoText ?? name} />
    </picture>
  )
}

export const Header = ({ context: { page: { page }, subscription, words }, home }: Part & { readonly home?: string }) => {
  const { branding, name, settings, theme, url } = page
  const website = home ?? linkUrl(branding.websiteUrl)
  const support = linkUrl(branding.supportUrl)
  const links = [...linksOf(branding.headerLinks), ...(support === null ? [] : [{ label: words.support, href: support }])]
  const logo = <Logo branding={branding} mode={theme.mode} name={name} />
  return (
    <header class="wrap top">
      <h1 class="brand">{website === null ? logo : <a href={website} rel="noopener">{logo}</a>}</h1>
      <div class="aside">
        {links.length === 0 ? null : (
          <nav aria-label={name}>
            <Links links={links} />
          </nav>
        )}
        {!isSubscribable(settings.subscriptions ?? {}) ? null : home === undefined
          ? <button type="button" class="button" popovertarget="subscribe">{subscription.subscribe}</button>
          : <a class="button" href={`${url}/subscribe`}>{subscription.subscribe}</a>}
      </div>
    </header>
  )
}

/** Splits `words.updated` around its placeholder to put a `time` element there, which the script renews. */
const Updated = ({ context: { at, formats, locale, words, zone } }: Part) => {
  const [before, after] = words.updated("\0").split("\0")
  return (
    <p>
      {before}
      <time dateTime={DateTime.formatIso(at)} title={formats.full(at)} data-locale={locale} data-zone={zone}>
        {formats.moment(at)}
      </time>
      {after}
    </p>
  )
}

const Banner = ({ context }: Part) => (
  <div class={`banner s-${context.page.status}`}>
    <StatusIcon status={context.page.status} />
    <div>
      <h2>{context.page.statusText}</h2>
      <Updated context={context} />
    </div>
  </div>
)

/** Stays at the top while the banner is out of sight: filled and shown by the script. */
const Stuck = () => <a class="stuck" href="#content" hidden />

export const Footer = ({ context: { page: { page: { branding } }, words } }: Part) => (
  <footer class="wrap">
    <div class="foot">
      {branding.footerText === null || branding.footerText === undefined ? null : <p dir="auto">{branding.footerText}</p>}
      <Links links={linksOf(branding.footerLinks)} />
      {branding.hidePoweredBy === true ? null : (
        <p>
          {words.poweredBy} <span class="by">Belltower</span>
        </p>
      )}
    </div>
  </footer>
)

/** Outside of the part that the script replaces, so that a change of status does not close it. */
const Dialog = ({ context: { page: { page: { name, settings: { subscriptions = {} }, url } }, subscription } }: Part) =>
  isSubscribable(subscriptions)
    ? <SubscribeDialog name={name} url={url} subscriptions={subscriptions} words={subscription} />
    : null

export const StatusPage = ({ context }: Part) => (
  <>
    <a class="skip" href="#content">{context.words.skipToContent}</a>
    <p class="sr" role="status" id="announce" />
    <Stuck />
    <Header context={context} />
    <main class="wrap" id="content" data-version={context.version} data-old={context.words.outOfDate}>
      <Banner context={context} />
      {context.stale ? <p class="warn" role="note">{context.words.outOfDate}</p> : null}
      {context.page.page.description === null ? null : <p class="about" dir="auto">{context.page.page.description}</p>}
      <ActiveIncidents context={context} />
      <Maintenances context={context} running={true} />
      <Components context={context} />
      <Maintenances context={context} running={false} />
      <PastIncidents context={context} />
    </main>
    <Footer context={context} />
    <Dialog context={context} />
  </>
)
