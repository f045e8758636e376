/** The frame around every view: navigation, notices, the view, and its own API calls. */
import type { ComponentChildren } from "preact"
import { mayAct } from "../../domain/access/Roles.ts"
import { BulkButton, BulkForm, BulkRows } from "../design/BulkForm.tsx"
import { CopyCall } from "../design/CopyCall.tsx"
import { CallButton } from "../design/Form.tsx"
import { Brand } from "../design/Icons.tsx"
import { useMay } from "../design/May.tsx"
import { Unsent } from "../design/Refusal.tsx"
import type { Restore } from "./BulkRow.ts"
import { isOperationId, isTool } from "./CallShapes.ts"
import { Find, Live, Navigation } from "./Navigation.tsx"
import { offered, type Section } from "./Sections.ts"
import { type Submitted, useVisit } from "./Visit.ts"

const RestoreButton = ({ restore: { fields, operation, rows } }: { readonly restore: Restore }) =>
  isOperationId(operation) ?
    (
      <BulkForm id="undo">
        <BulkRows rows={rows} />
        <BulkButton call={operation} within="set" own={fields} said="Undone">Undo</BulkButton>
      </BulkForm>
    ) :
    null

const Notice = () => {
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

const CapturedMail = ({ section }: { readonly section: Section }) => {
  const { capturesMail, workspace } = useVisit()
  if (!capturesMail || section === "providers" || workspace === null || !mayAct(workspace.role, "admin")) return null
  return (
    <div class="banner of-mail is-warn" id="captured-mail">
      <span class="dot" aria-hidden="true" />
      <div>
        <p>
          <b>No mail server is set.</b> Alerts, pages, invitations and sign-in links by email are captured, not sent.
        </p>
      </div>
      <a class="button plain tight" href="/app/providers">Set up mail</a>
    </div>
  )
}

/** The view's reads as API calls, if a key can make them. */
const Calls = () => {
  const { calls } = useVisit()
  const listed = calls.flatMap(({ given, operation }) =>
    isOperationId(operation) && isTool(operation) ? [{ given, operation }] : []
  )
  return listed.length === 0 ? null : (
    <details class="calls">
      <summary>This view as API calls</summary>
      <div class="stack">
        {listed.slice(0, 12).map(({ given, operation }, index) => (
          <CopyCall call={operation} given={given} id={`view-${index}`} named />
        ))}
      </div>
    </details>
  )
}

export const Shell = ({ children, live, section, unsent }: {
  readonly children: ComponentChildren
  readonly section: Section
  readonly live: ReadonlyArray<string>
  /** A refused form that the view does not show. */
  readonly unsent: Submitted | null
}) => {
  const { notice, submitted, url, workspace } = useVisit()
  // A view that is shown in answer to a form contains its address, which a script gives to the browser.
  const address = submitted === null && notice?.restore === undefined ? {} : { "data-address": url }
  return (
    <>
      <a class="skip" href="#content">Skip to content</a>
      <header class="top">
        <Brand href="/app" />
        <Live />
        <Find look="find icon" />
        <details>
          <summary>Menu</summary>
          <div class="sheet">
            <Navigation section={section} />
          </div>
        </details>
      </header>
      <div class="shell">
        <aside class="side" aria-label="Workspace and navigation">
          <Brand href="/app" />
          <Navigation section={section} />
        </aside>
        <main
          class="main"
          id="content"
          tabindex={-1}
          data-live={live.join(" ")}
          data-workspace={workspace?.id}
          data-may={offered.filter(useMay).join(" ")}
          {...address}
        >
          <Notice />
          <CapturedMail section={section} />
          {unsent === null ? null : <Unsent submitted={unsent} />}
          {children}
          <Calls />
        </main>
      </div>
      <div id="announce" class="sr" role="status" aria-live="polite" />
    </>
  )
}
