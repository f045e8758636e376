/** The frame of a page with one task, such as a subscription, in the theme of its status page. */
import { HttpServerResponse } from "@effect/platform"
import type { ComponentChildren } from "preact"
import type { Language } from "../../../schema/page/Page.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { uploadSources } from "../../domain/page/PageImages.ts"
import { imageUrl } from "../../domain/page/PublicUrl.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { privateHeaders } from "../WebDocument.ts"
import { statusFavicon } from "./Icons.tsx"
import { htmlType, imageSources, renderShell } from "./Shell.tsx"
import { Logo } from "./StatusPage.tsx"

/** The status page of a sheet; null if it is unknown. */
export type SheetPage =
  | (Pick<SettledPage, "name" | "theme" | "branding"> & {
    readonly url: string
    /** The address of the service itself. */
    readonly service: string
  })
  | null

interface Sheet {
  readonly page: SheetPage
  readonly language: Language
  readonly title: string
  readonly status?: number
  readonly body: ComponentChildren
}

export const showSheet = ({ body, language, page, status = 200, title }: Sheet): HttpServerResponse.HttpServerResponse => {
  const theme = page?.theme ?? {}
  const { contentSecurityPolicy, html } = renderShell({
    language,
    theme,
    title: page === null || page.name === title ? title : `${isolated(title)} · ${isolated(page.name)}`,
    formTargets: [page?.url ?? ""],
    images: page === null
      ? []
      : [...imageSources(page.branding, page.service, page.url), ...uploadSources(page.branding, page.service)],
    head: (
      <>
        <meta name="robots" content="noindex" />
        <link rel="icon" href={imageUrl(page?.branding.faviconUrl) ?? statusFavicon("unknown", theme.preset)} />
      </>
    ),
    body: (
      <>
        {page === null ? null : (
          <header class="wrap top sheet-top">
            <p class="brand">
              <a href={page.url}>
                <Logo branding={page.branding} mode={theme.mode} name={page.name} />
              </a>
            </p>
          </header>
        )}
        <main class="wrap sheet">
          <div class="card">
            <h1>{title}</h1>
            {body}
          </div>
        </main>
      </>
    )
  })
  return HttpServerResponse.text(html, { status, contentType: htmlType, headers: privateHeaders(contentSecurityPolicy) })
}
