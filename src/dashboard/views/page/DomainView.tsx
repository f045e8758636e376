/** The custom domain of a status page, step by step. */
import { Effect } from "effect"
import type { Page } from "../../../../schema/page/Page.ts"
import { Buttons, CallButton, CallForm, Field, useAnswer } from "../../design/Form.tsx"
import { Badge, Panel } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Moment } from "../../design/Time.tsx"
import { read } from "../../frame/DashboardApi.ts"
import type { Json } from "../../frame/FormBody.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { textOf } from "../channel/TestResult.tsx"
import { PageFrame } from "./PageFrame.tsx"

const pathOf = ({ id }: Page) => `/app/pages/${id}/domain` as const

const Copied = ({ id, text }: { readonly id: string; readonly text: string }) => (
  <>
    <code id={id}>{text}</code> <button type="button" class="link small" data-copy={id} hidden>Copy</button>
  </>
)

const Records = ({ page: { customDomain, dns } }: { readonly page: Page }) => (
  <Table columns={["Type", "Name", "Value"]}>
    <tr>
      <td data-label="Type">CNAME</td>
      <td data-label="Name">
        <Copied id="cname-name" text={customDomain ?? ""} />
      </td>
      <td data-label="Value">
        <Copied id="cname-value" text={dns.value} />
      </td>
    </tr>
    {dns.txtName === null ? null : (
      <tr>
        <td data-label="Type">TXT</td>
        <td data-label="Name">
          <Copied id="txt-name" text={dns.txtName} />
        </td>
        <td data-label="Value">
          <Copied id="txt-value" text={dns.txtValue} />
        </td>
      </tr>
    )}
  </Table>
)

const Result = ({ answer }: { readonly answer: Json }) => {
  const reason = textOf(answer, "reason")
  return reason === null
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
}

const Steps = ({ page }: { readonly page: Page }) => {
  const answer = useAnswer("verify")
  const { customDomain, domainVerifiedAt, id } = page
  return (
    <ol class="stages">
      <li class={customDomain === null ? "is-now" : "is-done"}>
        <h2>Choose the domain</h2>
        <CallForm call="update_page" id="domain" fixed={{ pageId: id }} then={pathOf(page)} said="Domain saved">
          <Field
            name="customDomain"
            as="host?"
            label="Domain"
            value={customDomain}
            hint="For example status.acme.com. A changed domain must be verified again."
            attributes={{ autocapitalize: "none", spellcheck: false, maxlength: 253 }}
          />
          <Buttons>
            <button class="plain">Save domain</button>
          </Buttons>
        </CallForm>
      </li>
      <li class={customDomain === null ? "" : domainVerifiedAt === null ? "is-now" : "is-done"}>
        <h2>Set the DNS records</h2>
        {customDomain === null ? <p class="note">Choose the domain first.</p> : (
          <>
            <p class="note">The CNAME is enough. With the TXT record, you can verify before you move the domain.</p>
            <Records page={page} />
          </>
        )}
      </li>
      <li class={domainVerifiedAt === null ? "" : "is-done"}>
        <h2>Verify</h2>
        {customDomain === null
          ? <p class="note">Belltower then looks the records up.</p>
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
              {answer === null ? null : <Result answer={answer} />}
              <CallButton call="verify_domain" id="verify" fixed={{ pageId: id }}>Verify now</CallButton>
            </>
          )}
      </li>
    </ol>
  )
}

export const domainView = view(
  "/app/pages/:id/domain",
  "pages",
  Effect.gen(function*() {
    const { params } = yield* Visit
    const page = yield* read("get_page", { pageId: params["id"] ?? "" })
    return {
      title: `Domain of ${page.name}`,
      body: (
        <PageFrame page={page} tab="/domain">
          <Panel id="steps" title="Your own domain">
            <Steps page={page} />
          </Panel>
        </PageFrame>
      )
    }
  })
)
