/** The custom domain of a status page, step by step. */
import type { Page } from "../../../../schema/page/Page.ts"
import { CallButton, CallForm, Field, Submit, useAnswerOf } from "../../design/Form.tsx"
import { Badge, Panel } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Moment } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { pageHead, readPage } from "./PageHead.tsx"

const Copied = ({ id, text }: { readonly id: string; readonly text: string }) => (
  <>
    <code id={id}>{text}</code> <button type="button" class="link small" data-copy={id} hidden>Copy</button>
  </>
)

const Records = ({ page: { customDomain, dns } }: { readonly page: Page }) => (
  <Table columns={["Type", "Name", "Value"]}>
    {([["CNAME", customDomain ?? "", dns.value], ["TXT", dns.txtName, dns.txtValue]] as const).map(([type, name, value]) =>
      name === null ? null : (
        <tr>
          <td data-label="Type">{type}</td>
          <td data-label="Name">
            <Copied id={`${type.toLowerCase()}-name`} text={name} />
          </td>
          <td data-label="Value">
            <Copied id={`${type.toLowerCase()}-value`} text={value} />
          </td>
        </tr>
      )
    )}
  </Table>
)

const Result = ({ reason }: Pick<AnswerOf<"verify_domain">, "reason">) =>
  reason === null
    ? (
      <p class="outcome is-good" role="status">
        <b>Verified.</b> The page is served at this domain.
      </p>
    )
    : (
      <p class="outcome is-bad" role="alert">
        <b>Not verified yet.</b> {reason}
      </p>
    )

const Steps = ({ page }: { readonly page: Page }) => {
  const answer = useAnswerOf("verify", "verify_domain")
  const { customDomain, domainVerifiedAt, id } = page
  return (
    <ol class="stages">
      <li class={customDomain === null ? "is-now" : "is-done"}>
        <h2>Choose the domain</h2>
        <CallForm call="update_page" id="domain" fixed={{ pageId: id }} said="Domain saved">
          <Field
            name="customDomain"
            as="host?"
            label="Domain"
            value={customDomain}
            hint="For example status.acme.com. A changed domain must be verified again."
            attributes={{ autocapitalize: "none", spellcheck: false, maxlength: 253 }}
          />
          <Submit look="plain">Save domain</Submit>
        </CallForm>
      </li>
      <li class={customDomain === null ? "" : domainVerifiedAt === null ? "is-now" : "is-done"}>
        <h2>Set the DNS records</h2>
        {customDomain === null ? <p class="note">Choose the domain first.</p> : (
          <>
            <p class="note">
              For a domain that no page has had before, the CNAME is enough. With the TXT record, you can verify before you move
              the domain, and take over a domain that a page once had.
            </p>
            <Records page={page} />
          </>
        )}
      </li>
      <li class={domainVerifiedAt === null ? "" : "is-done"}>
        <h2>Verify</h2>
        {customDomain === null
          ? <p class="note">Belltower then looks up the records.</p>
          : (
            <>
              <p>
                {domainVerifiedAt === null
                  ? <Badge tone="warn">Not verified</Badge>
                  : (
                    <>
                      <Badge tone="good">Verified</Badge> <Moment at={domainVerifiedAt} />
                    </>
                  )}
              </p>
              {answer === null ? null : <Result reason={answer.reason} />}
              <CallButton call="verify_domain" id="verify" fixed={{ pageId: id }}>Verify now</CallButton>
            </>
          )}
      </li>
    </ol>
  )
}

export const domainView = view("/app/pages/:id/domain", "pages", function*() {
  const page = yield* readPage
  return {
    title: `Domain of ${page.name}`,
    head: pageHead(page, "/domain"),
    body: (
      <Panel id="steps" title="Your own domain">
        <Steps page={page} />
      </Panel>
    )
  }
})
