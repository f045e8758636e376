/** The notices of a view: the result of the last form, with its undo, and that mail is captured. */
import { mayAct } from "../../domain/access/Roles.ts"
import { BulkButton, BulkForm, BulkRows } from "../design/BulkForm.tsx"
import { CallButton } from "../design/Form.tsx"
import type { Restore } from "./BulkRow.ts"
import { isOperationId } from "./CallShapes.ts"
import type { Place } from "./View.ts"
import { useVisit } from "./Visit.ts"

const RestoreButton = ({ restore: { fields, operation, rows } }: { readonly restore: Restore }) =>
  isOperationId(operation) ?
    (
      <BulkForm id="undo">
        <BulkRows rows={rows} />
        <BulkButton call={operation} own={fields} said="Undone">Undo</BulkButton>
      </BulkForm>
    ) :
    null

export const Notice = () => {
  const { notice } = useVisit()
  if (notice === null) return null
  const { restore, undo } = notice
  return (
    <div class="notice" role="status" id="notice">
      <span>{notice.said}</span>
      {restore === undefined ? null : <RestoreButton restore={restore} />}
      {undo === null || !isOperationId(undo.operation) ?
        null :
        (
          <CallButton call={undo.operation} id="undo" fixed={undo.given} then="/app" said="Undone" look="plain tight">
            Undo
          </CallButton>
        )}
    </div>
  )
}

/** Warns admins that mail is captured. */
export const CapturedMail = ({ place }: { readonly place: Place }) => {
  const { capturesMail, workspace } = useVisit()
  if (!capturesMail || place === "providers" || workspace === null || !mayAct(workspace.role, "admin")) return null
  return (
    <div class="banner of-mail is-warn" id="captured-mail">
      <span class="dot" aria-hidden="true" />
      <div>
        <p>
          <b>No mail server is set: mail is captured, not sent.</b>{" "}
          Alerts, pages, invitations and sign-in links by email reach nobody.
        </p>
      </div>
      <a class="button plain tight" href="/app/providers">Set up mail</a>
    </div>
  )
}
