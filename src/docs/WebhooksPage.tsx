/** The page on webhooks: the body for each event. */
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { docsPage } from "./DocsFrame.tsx"
import { Sample } from "./Text.tsx"

export const webhooksPage = (baseUrl: string, { webhooks }: OpenApiDocument) =>
  docsPage({
    baseUrl,
    title: "Webhooks, Belltower API reference",
    path: "/docs/webhooks",
    lead: (
      <>
        <h1>Webhooks</h1>
        <p class="lead">
          The body of each event, as webhook channels receive it. <a href="/docs#events">Events and webhooks</a>{" "}
          says how to verify it and when it is sent again.
        </p>
      </>
    ),
    sections: Object.entries(webhooks).map(([type, { post }]) => () => (
      <section class="operation" id={type}>
        <h2>
          <a href={`#${type}`}>{type}</a>
        </h2>
        <p>{post.summary}.</p>
        <Sample title="Body" code={JSON.stringify(post.requestBody.content["application/json"].example, null, 2)} />
      </section>
    ))
  })
