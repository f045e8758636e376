/** The page on webhooks: the body for each event. */
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { docsPage } from "./DocsFrame.tsx"
import { Sample, Section } from "./Text.tsx"

export const webhooksPage = (baseUrl: string, { webhooks }: OpenApiDocument) =>
  docsPage({
    baseUrl,
    heading: "Webhooks",
    path: "/docs/webhooks",
    lead: (
      <>
        The body of each event, as webhook channels receive it. <a href="/docs#events">Events and webhooks</a>{" "}
        says how to verify it and when it is sent again.
      </>
    ),
    sections: Object.entries(webhooks).map(([type, { post }]) => () => (
      <Section kind="operation" id={type} title={type}>
        <p>{post.summary}.</p>
        <Sample title="Body" code={JSON.stringify(post.requestBody.content["application/json"].example, null, 2)} />
      </Section>
    ))
  })
