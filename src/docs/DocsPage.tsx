/** The reference at /docs: the guide, every operation by group, and the shared schemas. */
import { Array, Predicate } from "effect"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import { resolved } from "../http/openapi/Examples.ts"
import type { DescribedOperation, OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { type Operation, operations } from "../http/openapi/Operations.ts"
import { frameColors, themeStyle } from "../pages/style/ThemeStyle.ts"
import { makeDocument, sourceHash, type WebDocument } from "../pages/WebDocument.ts"
import { docsScript } from "./DocsScript.ts"
import { docsStyle } from "./DocsStyle.ts"
import { guide } from "./Guide.ts"
import { OperationEntry } from "./OperationEntry.tsx"
import { fieldRows, isSchema, limitWords, typeWords } from "./SchemaWords.ts"
import { Fields, GuideBlock, Inline } from "./Text.tsx"

const anchor = (group: string) => `group-${group.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`

const byGroup = (): ReadonlyArray<readonly [string, ReadonlyArray<Operation>]> =>
  Object.entries(Array.groupBy(operations, ({ group }) => group))

const describedOf = ({ paths }: OpenApiDocument, operation: Operation): DescribedOperation | undefined =>
  paths[operation.path.replace(/:(\w+)/g, "{$1}")]?.[operation.method.toLowerCase()]

const Contents = ({ baseUrl }: { readonly baseUrl: string }) => (
  <nav aria-label="Contents">
    <details class="contents" open>
      <summary>Contents</summary>
      <ul>
        {guide(baseUrl).map(({ id, title }) => (
          <li>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
      {byGroup().map(([group, members]) => (
        <>
          <h2>
            <a href={`#${anchor(group)}`}>{group}</a>
          </h2>
          <ul>
            {members.map(({ id, method, summary }) => (
              <li class="entry" title={summary}>
                <a href={`#${id}`}>
                  <span class={`dot m-${method.toLowerCase()}`} aria-hidden="true" />
                  {id}
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
      <h2>
        <a href="#schemas">Schemas</a>
      </h2>
    </details>
  </nav>
)

const Groups = ({ baseUrl, document }: { readonly baseUrl: string; readonly document: OpenApiDocument }) => (
  <>
    {byGroup().map(([group, members]) => (
      <section class="group" id={anchor(group)}>
        <h2>{group}</h2>
        {document.tags.filter(({ name }) => name === group).map(({ description }) => <p>{description}</p>)}
        {members.map((operation) => {
          const described = describedOf(document, operation)
          return described === undefined ?
            null :
            <OperationEntry baseUrl={baseUrl} operation={operation} described={described} schemas={document.components.schemas} />
        })}
      </section>
    ))}
  </>
)

const Schemas = ({ schemas }: { readonly schemas: OpenApiDocument["components"]["schemas"] }) => (
  <section id="schemas">
    <h2>Schemas</h2>
    {Array.sortBy((a: string, b: string) => (a < b ? -1 : 1))(Object.keys(schemas)).map((name) => {
      const schema = schemas[name]
      if (!isSchema(schema)) return null
      const known = resolved(schema, schemas)
      const rows = fieldRows(known)
      const { description } = known
      return (
        <section class="schema" id={`schema-${name}`}>
          <h3>
            <a href={`#schema-${name}`}>{name}</a>
          </h3>
          {Predicate.isString(description)
            ? (
              <p>
                <Inline text={description} />
              </p>
            )
            : null}
          {rows.length > 0 ?
            <Fields caption="Fields" rows={rows} /> :
            <p>{[typeWords(known).map(({ word }) => word).join(""), ...limitWords(known)].join("; ")}</p>}
        </section>
      )
    })}
  </section>
)

const Body = ({ baseUrl, document }: { readonly baseUrl: string; readonly document: OpenApiDocument }): ComponentChildren => (
  <>
    <a class="skip" href="#main">Skip to content</a>
    <header class="head">
      <a class="home" href="/">Belltower</a>
      <span>API reference {document.info.version}</span>
      <a href="/api/v1/openapi.json">OpenAPI</a>
      <a href="/llms.txt">llms.txt</a>
    </header>
    <div class="columns">
      <Contents baseUrl={baseUrl} />
      <main id="main">
        <h1>Belltower API reference</h1>
        <p class="lead">{document.info.description}. Every operation is an HTTP endpoint and an MCP tool with the same name.</p>
        {guide(baseUrl).map(({ blocks, id, title }) => (
          <section class="guide" id={id}>
            <h2>
              <a href={`#${id}`}>{title}</a>
            </h2>
            {blocks.map((block) => <GuideBlock block={block} />)}
          </section>
        ))}
        <Groups baseUrl={baseUrl} document={document} />
        <Schemas schemas={document.components.schemas} />
      </main>
    </div>
  </>
)

const styles = [themeStyle({}), docsStyle]

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${styles.map(sourceHash).join(" ")}`,
  `script-src ${sourceHash(docsScript)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Renders the page. It works without its script, which only adds a filter to the contents. */
export const renderDocs = (baseUrl: string, document: OpenApiDocument): WebDocument => {
  const frame = frameColors({})
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Belltower API reference</title>
        <meta name="description" content="The Belltower API: REST, MCP, events and webhooks" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content={frame.light} />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content={frame.dark} />
        <link rel="icon" href="data:," />
        <link rel="alternate" type="text/markdown" href="/llms.txt" />
        {styles.map((style) => <style dangerouslySetInnerHTML={{ __html: style }} />)}
      </head>
      <body>
        <Body baseUrl={baseUrl} document={document} />
        <script dangerouslySetInnerHTML={{ __html: docsScript }} />
      </body>
    </html>
  )
  return makeDocument(`<!doctype html>${html}`, {
    contentType: "text/html; charset=utf-8",
    contentSecurityPolicy,
    lastModified: null,
    volatile: []
  })
}
