/** Says that a page has a draft: who left it, when, what it changes, and whether the page changed since. */
import { DateTime } from "effect"
import type { Page, PageDraft } from "../../../../schema/page/Page.ts"
import { named } from "../../design/Amounts.ts"
import { CallButton } from "../../design/Form.tsx"
import { Ago } from "../../design/Time.tsx"
import { draftNames, seenAt } from "./DraftValues.ts"

export const DraftBanner = ({ draft: { at, by, fields }, page }: { readonly draft: PageDraft; readonly page: Page }) => (
  <div class={DateTime.greaterThan(page.updatedAt, at) ? "banner is-warn" : "banner is-calm"} id="draft">
    <span class="dot" aria-hidden="true" />
    <div>
      <p>
        <b>Draft, not published.</b> <bdi>{by}</bdi> saved it <Ago at={at} />. It changes {named(draftNames(fields))}.
      </p>
      {DateTime.greaterThan(page.updatedAt, at)
        ? (
          <p>
            The page itself was changed <Ago at={page.updatedAt} />, after the draft. Publishing the draft overwrites that change.
          </p>
        )
        : null}
    </div>
    <CallButton
      call="update_page"
      id="discard-draft"
      fixed={{ pageId: page.id, draft: "discard", since: seenAt(page) }}
      said="Draft discarded"
      look="plain tight"
    >
      Discard draft
    </CallButton>
  </div>
)
