/** A button that sends the fields of a form to another operation, and shows its answer there: a check before saving. */
import type { ComponentChildren } from "preact"
import type { OperationId } from "../frame/DashboardApi.ts"
import { useVisit } from "../frame/Visit.ts"
import { useMay } from "./Form.tsx"

/** The form reads the answer with `useAnswerOf`; the fields keep what was typed. */
export const TryButton = ({ call, children }: { readonly call: OperationId; readonly children: ComponentChildren }) => {
  const { workspace } = useVisit()
  if (!useMay(call)) return null
  return (
    <button
      class="plain"
      name="_stay"
      value="true"
      formNoValidate
      formAction={`/app/do/${call}${workspace === null ? "" : `?workspace=${workspace.id}`}`}
    >
      {children}
    </button>
  )
}
