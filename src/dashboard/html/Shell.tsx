/** The document around every dashboard page. It has no script, and its content security policy allows none. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import type { Language } from "../../../schema/page/Page.ts"
import { SignInProviders } from "../../external/oauth/SignInProvider.ts"
import "../../pages/html/LongWords.ts"
import { frameColors, themeStyle } from "../../pages/style/ThemeStyle.ts"
import { sourceHash } from "../../pages/WebDocument.ts"
import { dashboardStyle } from "../DashboardStyle.ts"
import type { Theme } from "../Theme.ts"
import { themeOf } from "../ThemeCookie.ts"

export interface Page {
  readonly title: string
  readonly status?: number
  readonly body: ComponentChildren
  /** Default English. */
  readonly language?: Language
}

const settingsOf = (theme: Theme) => (theme === "system" ? {} : { mode: theme })

const styles = {
  system: `${themeStyle({})}${dashboardStyle}`,
  light: `${themeStyle({ mode: "light" })}${dashboardStyle}`,
  dark: `${themeStyle({ mode: "dark" })}${dashboardStyle}`
} as const satisfies Record<Theme, string>

const logoPath = "M12 2.2a1.6 1.6 0 0 1 1.6 1.7 6.6 6.6 0 0 1 5 6.4v4.1l1.7 2.7a.9.9 0 0 1-.8 1.4h-15a.9.9 0 0 1-.8-1.4l1.7-2.7" +
  "v-4.1a6.6 6.6 0 0 1 5-6.4A1.6 1.6 0 0 1 12 2.2Zm-2.6 17.6h5.2a2.6 2.6 0 0 1-5.2 0Z"

export const Brand = ({ href }: { readonly href: string }) => (
  <a class="brand" href={href}>
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={logoPath} fill="currentColor" />
    </svg>
    Belltower
  </a>
)

const document = ({ body, language = "en", title }: Page, theme: Theme) => {
  const frame = frameColors(settingsOf(theme))
  return `<!doctype html>${
    renderToString(
      <html lang={language}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>{`${title} · Belltower`}</title>
          <meta name="robots" content="noindex" />
          <meta name="theme-color" media="(prefers-color-scheme: light)" content={frame.light} />
          <meta name="theme-color" media="(prefers-color-scheme: dark)" content={frame.dark} />
          <link rel="icon" href="data:," />
          <style dangerouslySetInnerHTML={{ __html: styles[theme] }} />
        </head>
        <body>{body}</body>
      </html>
    )
  }`
}

/** Browsers also apply `form-action` to redirects, so it includes the origins of the sign-in providers. */
const policy = (formTargets: ReadonlyArray<string>, theme: Theme) =>
  [
    "default-src 'none'",
    `style-src ${sourceHash(styles[theme])}`,
    "img-src data:",
    "base-uri 'none'",
    `form-action ${["'self'", ...formTargets].join(" ")}`,
    "frame-ancestors 'none'"
  ].join("; ")

/** Responds with an uncached page in the reader's theme. The URL may contain a token, so other sites get no `Referer`. */
export const show = (page: Page) =>
  Effect.gen(function*() {
    const providers = yield* SignInProviders
    const theme = themeOf(yield* HttpServerRequest.HttpServerRequest)
    return HttpServerResponse.text(document(page, theme), {
      status: page.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: {
        "cache-control": "no-store",
        "content-security-policy": policy(Object.values(providers).map(({ origin }) => origin), theme),
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin"
      }
    })
  })

/** A page with one task, for people who may not be signed in. */
export const Gate = ({ children, title }: { readonly children: ComponentChildren; readonly title: string }) => (
  <main class="wrap gate">
    <Brand href="/" />
    <div class="card">
      <h1>{title}</h1>
      {children}
    </div>
  </main>
)

export const Wrong = ({ children }: { readonly children: ComponentChildren }) => <p class="wrong" role="alert">{children}</p>

/** A button with its own form, so it works without a script. */
export const Do = ({ action, class: look, field, label }: {
  readonly action: string
  readonly class?: string
  readonly label: string
  /** What the button adds to the form. */
  readonly field?: { readonly name: string; readonly value: string }
}) => (
  <form method="post" action={action} {...(look === undefined ? {} : { class: look })}>
    <button {...field}>{label}</button>
  </form>
)
