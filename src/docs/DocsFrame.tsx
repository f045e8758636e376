/** The frame of every page of the documentation: head, search and contents. The pages work without the script. */
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import { mapInSteps, type Steps } from "../domain/tools/Steps.ts"
import { frameColors, themeStyle } from "../pages/style/ThemeStyle.ts"
import { type DocumentDraft, draftDocument, sourceHash } from "../pages/WebDocument.ts"
import { groupPath, groups, operationPath } from "./DocsLinks.ts"
import { docsScript } from "./DocsScript.ts"
import { docsStyle } from "./DocsStyle.ts"
import { guide } from "./Guide.ts"
import { peopleHome, peoplePages, peoplePath } from "./people/Pages.ts"

interface DocsPage {
  readonly baseUrl: string
  readonly heading: string
  /** The title of the document. Default: the heading, and what this is. */
  readonly title?: string
  /** In a sentence, for search engines. Default: what the reference is. */
  readonly description?: string
  /** Path of the page; its contents are open in the navigation. */
  readonly path: string
  /** The search text; omitted on other pages. */
  readonly query?: string
  readonly lead?: ComponentChildren
  /** The sections, such as one for each operation. */
  readonly sections: ReadonlyArray<() => ComponentChildren>
}

/** A page in the contents, with its parts while it is shown. */
const Entry = ({ here, isOpen, name, parts = [], path }: {
  readonly here: string
  /** Default: while its own page is shown. */
  readonly isOpen?: boolean
  readonly path: string
  readonly name: string
  readonly parts?: ReadonlyArray<ComponentChildren>
}) => (
  <>
    <h2>
      <a href={path} aria-current={path === here ? "page" : undefined}>{name}</a>
    </h2>
    {!(isOpen ?? path === here) || parts.length === 0 ? null : <ul>{parts}</ul>}
  </>
)

const Contents = ({ baseUrl, path }: { readonly baseUrl: string; readonly path: string }) => (
  <nav aria-label="Contents">
    <details class="contents" open>
      <summary>Contents</summary>
      <Entry
        here={path}
        isOpen={path.startsWith(peopleHome)}
        path={peopleHome}
        name="Guide"
        parts={peoplePages.map((page) => (
          <li>
            <a href={peoplePath(page)} aria-current={peoplePath(page) === path ? "page" : undefined}>{page.title}</a>
          </li>
        ))}
      />
      <Entry
        here={path}
        path="/docs"
        name="Using the API"
        parts={guide(baseUrl).map(({ id, title }) => (
          <li>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      />
      {groups.map(([group, members]) => (
        <Entry
          here={path}
          path={groupPath(group)}
          name={group}
          parts={members.map((operation) => (
            <li class="entry">
              <a href={operationPath(operation)} title={operation.summary}>
                <span class={`dot m-${operation.method.toLowerCase()}`} aria-hidden="true" />
                {operation.id}
              </a>
            </li>
          ))}
        />
      ))}
      <Entry here={path} path="/docs/webhooks" name="Webhooks" />
      <Entry here={path} path="/docs/schemas" name="Schemas" />
    </details>
  </nav>
)

const Head = ({ query }: { readonly query: string }) => (
  <header class="head">
    <a class="home" href="/">Belltower</a>
    <form class="search" role="search" action="/docs/search">
      <input
        type="search"
        name="q"
        value={query}
        maxLength={100}
        placeholder="Search the docs (/)"
        aria-label="Search the docs"
      />
      <button type="submit">Search</button>
    </form>
    <a href={peopleHome}>Guide</a>
    <a href="/docs">API reference</a>
    <a href="/api/v1/openapi.json">OpenAPI</a>
    <a href="/llms.txt">llms.txt</a>
  </header>
)

const styles = [themeStyle({}), docsStyle]

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${styles.map(sourceHash).join(" ")}`,
  `script-src ${sourceHash(docsScript)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'"
].join("; ")

const frame = frameColors({})

interface Whole extends Pick<DocsPage, "baseUrl" | "description" | "path" | "query"> {
  readonly title: string
  /** HTML. */
  readonly content: string
}

const defaultDescription = "The Belltower API: REST, MCP, events and webhooks"

const Page = ({ baseUrl, content, description = defaultDescription, path, query = "", title }: Whole) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <meta name="description" content={description} />
      {query === "" ? null : <meta name="robots" content="noindex" />}
      <meta name="theme-color" media="(prefers-color-scheme: light)" content={frame.light} />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={frame.dark} />
      <link rel="icon" href="data:," />
      <link rel="alternate" type="text/markdown" href="/llms.txt" />
      {styles.map((style) => <style dangerouslySetInnerHTML={{ __html: style }} />)}
    </head>
    <body>
      <a class="skip" href="#main">Skip to content</a>
      <Head query={query} />
      <div class="columns">
        <Contents baseUrl={baseUrl} path={path} />
        <main id="main" dangerouslySetInnerHTML={{ __html: content }} />
      </div>
      <script dangerouslySetInnerHTML={{ __html: docsScript }} />
    </body>
  </html>
)

/** Sections rendered in one step: a few milliseconds. */
const perStep = 2

const html = (children: ComponentChildren): string => renderToString(<>{children}</>)

/** A page of the reference, rendered in steps. */
export function* docsPage({ heading, lead, sections, ...page }: DocsPage): Steps<DocumentDraft> {
  const title = page.title ?? `${heading}, Belltower API reference`
  const head = html(
    <>
      <h1>{heading}</h1>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
    </>
  )
  const rendered = yield* mapInSteps(sections, perStep, (section) => html(section()))
  yield
  const whole = `<!doctype html>${renderToString(<Page {...page} title={title} content={[head, ...rendered].join("")} />)}`
  yield
  return yield* draftDocument([whole], { contentType: "text/html; charset=utf-8", contentSecurityPolicy })
}
