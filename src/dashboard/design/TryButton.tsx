/** A button that sends the fields of a form to another operation, and shows its answer there: a check before saving. */
import type { ComponentChildren } from "preact"
import type { OperationId } from "../frame/DashboardApi.ts"
import { formAddress } from "../frame/FormAddress.ts"
import { useVisit } from "../frame/Visit.ts"
import { useMay } from "./Form.tsx"

/** The form reads the answer with `useAnswerOf`; the fields keep their typed values. */
export const TryButton = ({ call, children }: { readonly call: OperationId; readonly children: ComponentChildren }) => {
  const visit = useVisit()
  if (!useMay(call)) return null
  return (
    <button
      class="plain"
      name="_stay"
      value="true"
      formNoValidate
      formAction={formAddress(visit, `do/${call}`)}
    >
      {children}
    </button>
  )
}
