/** The frame around every view: navigation, notices, the view, and its own API calls. */
import type { ComponentChildren } from "preact"
import { CopyCall } from "../design/CopyCall.tsx"
import { Brand } from "../design/Icons.tsx"
import { Unsent } from "../design/Refusal.tsx"
import { isOperationId, isTool } from "./CallShapes.ts"
import { Live, Navigation } from "./Navigation.tsx"
import { CapturedMail, Notice } from "./Notices.tsx"
import type { Place } from "./View.ts"
import { type Submitted, useVisit } from "./Visit.ts"

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

export const Shell = ({ children, live, place, unsent }: {
  readonly children: ComponentChildren
  readonly place: Place
  readonly live: ReadonlyArray<string>
  /** A refused form that the view does not show. */
  readonly unsent: Submitted | null
}) => {
  const { notice, submitted, url } = useVisit()
  // A view that is shown in answer to a form contains its address, which a script gives to the browser.
  const address = submitted === null && notice?.restore === undefined ? {} : { "data-address": url }
  return (
    <>
      <a class="skip" href="#content">Skip to content</a>
      <header class="top">
        <Brand href="/app" />
        <Live />
        <details>
          <summary>Menu</summary>
          <div class="sheet">
            <Navigation place={place} />
          </div>
        </details>
      </header>
      <div class="shell">
        <aside class="side" aria-label="Workspace and navigation">
          <Brand href="/app" />
          <Navigation place={place} />
        </aside>
        <main class="main" id="content" tabindex={-1} data-live={live.join(" ")} {...address}>
          <Notice />
          <CapturedMail place={place} />
          {unsent === null ? null : <Unsent submitted={unsent} />}
          {children}
          <Calls />
        </main>
      </div>
      <div id="announce" class="sr" role="status" aria-live="polite" />
    </>
  )
}
