/** "Copy as API call": what a view or form does, for a shell, TypeScript and MCP. */
import type { Arguments } from "../../http/server/InProcessCall.ts"
import { jsonOf, shapeOf } from "../frame/CallShapes.ts"
import type { OperationId } from "../frame/DashboardApi.ts"
import { snippetsOf } from "../frame/Snippets.ts"
import { useVisit } from "../frame/Visit.ts"

const Snippet = ({ id, label, text }: { readonly id: string; readonly label: string; readonly text: string }) => (
  <div>
    <h4>
      {label}
      <button type="button" class="link small" data-copy={id} hidden>Copy</button>
    </h4>
    <pre id={id} class="block" tabindex={0}>{text}</pre>
  </div>
)

/** The browser updates a form's text from its fields; without a script it has the fixed ones. */
export const CopyCall = ({ call, form, given, id = form ?? call, named = false }: {
  readonly call: OperationId
  readonly given: Arguments
  readonly form?: string
  readonly id?: string
  readonly named?: boolean
}) => {
  const { baseUrl } = useVisit()
  const shape = shapeOf(call)
  const text = snippetsOf(baseUrl, shape, jsonOf(given))
  return (
    <details
      class="call"
      data-shape={JSON.stringify(shape)}
      data-base={baseUrl}
      data-form={form}
    >
      <summary>{named ? <code>{call}</code> : "Copy as API call"}</summary>
      <div>
        <Snippet id={`${id}-curl`} label="curl" text={text.curl} />
        <Snippet id={`${id}-ts`} label="TypeScript" text={text.typescript} />
        {shape.isTool ? <Snippet id={`${id}-mcp`} label="MCP tool call" text={text.mcp} /> : null}
      </div>
    </details>
  )
}
