/** The document around every page of the dashboard and of those who are not signed in: one style sheet, one head. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import { isolated } from "../domain/tools/text/Direction.ts"
import { SignInProviders } from "../external/oauth/SignInProvider.ts"
import "../pages/html/TextMarkup.ts"
import { privateHeaders } from "../pages/WebDocument.ts"
import { frameColors } from "./design/style/DesignStyle.ts"
import { stylePath } from "./frame/Assets.ts"
import { homeScreenIcon, manifestPath } from "./install/InstallRoutes.ts"
import type { Theme } from "./Theme.ts"

interface DocumentProps {
  readonly title: string
  /** BCP 47. */
  readonly language: string
  readonly theme: Theme
  /** The path of the script that it loads; null for none. */
  readonly script: string | null
  readonly body: ComponentChildren
}

/** The colour of the browser's own frame. A script that switches the theme takes it from the data. */
const FrameColor = ({ mode, theme }: { readonly mode: "light" | "dark"; readonly theme: Theme }) => (
  <meta
    name="theme-color"
    media={`(prefers-color-scheme: ${mode})`}
    content={frameColors[theme === "system" ? mode : theme]}
    data-light={frameColors.light}
    data-dark={frameColors.dark}
  />
)

export const documentText = ({ body, language, script, theme, title }: DocumentProps): string =>
  `<!doctype html>${
    renderToString(
      <html lang={language} data-theme={theme === "system" ? undefined : theme}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
          <title>{`${isolated(title)} · Belltower`}</title>
          <meta name="robots" content="noindex" />
          {(["light", "dark"] as const).map((mode) => <FrameColor mode={mode} theme={theme} />)}
          <link rel="icon" href="data:," />
          {script === null ? null : (
            <>
              <link rel="manifest" href={manifestPath} />
              <link rel="apple-touch-icon" href={homeScreenIcon} />
            </>
          )}
          <link rel="stylesheet" href={stylePath} />
          {script === null ? null : <script type="module" src={script} />}
        </head>
        <body>{body}</body>
      </html>
    )
  }`

/** Browsers also apply `form-action` to redirects, so it includes where a form may lead, as to the sign-in providers. */
const policyFor = (sources: ReadonlyArray<string>, targets: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    ...sources,
    "base-uri 'none'",
    `form-action ${["'self'", ...targets].join(" ")}`,
    "frame-ancestors 'none'"
  ].join("; ")

/**
 * Answers with an uncached document that no other site may frame. `sources` are the directives that let it load its resources;
 * `formTargets` are sources that its forms may lead to, beside this service and the providers.
 */
export const answerDocument = (
  html: string,
  status: number,
  sources: ReadonlyArray<string>,
  formTargets: ReadonlyArray<string> = []
) =>
  Effect.map(SignInProviders, (providers) =>
    HttpServerResponse.text(html, {
      status,
      contentType: "text/html; charset=utf-8",
      headers: privateHeaders(policyFor(sources, [...Object.values(providers).map(({ origin }) => origin), ...formTargets]))
    }))
