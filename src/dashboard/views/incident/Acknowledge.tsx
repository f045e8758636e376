/** Acknowledges an incident: a button large enough for a thumb at night. */
import type { Incident } from "../../../../schema/incident/Incident.ts"
import { CallButton, CallForm, Field } from "../../design/Form.tsx"
import { Ago } from "../../design/Time.tsx"

export const Acknowledge = ({ of: { acknowledgement, id, kind, resolvedAt } }: { readonly of: Incident }) => {
  if (resolvedAt !== null || kind === "maintenance") return null
  const here = `/app/incidents/${id}` as const
  if (acknowledgement !== null) {
    return (
      <div class="banner is-calm" role="status">
        <div>
          <h2>Acknowledged by {acknowledgement.by}</h2>
          <p class="note">
            <Ago at={acknowledgement.at} />. Reminders and escalation have stopped.
            {acknowledgement.note === undefined ? "" : ` "${acknowledgement.note}"`}
          </p>
        </div>
        <CallButton
          call="unacknowledge_incident"
          id="unacknowledge"
          fixed={{ id }}
          then={here}
          said="Acknowledgement removed. Reminders and escalation go on."
        >
          Remove acknowledgement
        </CallButton>
      </div>
    )
  }
  return (
    <section class="take" aria-label="Acknowledge">
      <div>
        <h2>Nobody has acknowledged this</h2>
        <p class="note">Acknowledging stops reminders and escalation. Visitors do not see it.</p>
      </div>
      <CallForm
        call="acknowledge_incident"
        id="acknowledge"
        fixed={{ id }}
        then={here}
        said="Incident acknowledged"
        undo={{ operation: "unacknowledge_incident", given: { id } }}
        class=""
        copy={false}
      >
        <button>Acknowledge</button>
        <details class="more">
          <summary>Add a note for the team</summary>
          <Field name="note" label="Note" attributes={{ maxlength: 1000 }} />
        </details>
      </CallForm>
    </section>
  )
}
