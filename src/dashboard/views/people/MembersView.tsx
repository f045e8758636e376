/** The members of the workspace, with their roles, and pending invitations. */
import { Effect } from "effect"
import type { Member } from "../../../../schema/workspace/Member.ts"
import { Role } from "../../../../schema/workspace/Workspace.ts"
import { BareSelect } from "../../design/BareControls.tsx"
import { Confirm } from "../../design/Confirm.tsx"
import { Buttons, CallForm, Field, Select, useMay } from "../../design/Form.tsx"
import { Badge, Head, inWords, Panel } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Ago, Moment } from "../../design/Time.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"

const roles = Role.literals.map((role) => [role, inWords(role)] as const)

const ChangeRole = ({ member: { email, id, name, role } }: { readonly member: Member }) => (
  <CallForm
    call="update_member"
    id={`role-${id}`}
    fixed={{ id }}
    then="/app/members"
    said="Role changed"
    class="inline"
    copy={false}
    otherwise={inWords(role)}
  >
    <BareSelect name="role" label={`Role of ${name ?? email}`} value={role} options={roles} />
    <button class="plain tight">Change</button>
  </CallForm>
)

const RemoveMember = ({ member: { email, id, status }, self }: { readonly member: Member; readonly self: boolean }) => (
  <Confirm
    call="remove_member"
    id={`remove-${id}`}
    fixed={{ id }}
    then={self ? "/app/workspaces" : "/app/members"}
    said={status === "invited" ? "Invitation cancelled" : `${email} no longer has access`}
    label={status === "invited" ? "Cancel invitation" : self ? "Leave" : "Remove"}
    lost={status === "invited"
      ? `The link in the invitation to ${email} stops working.`
      : self
      ? "You lose access immediately. The last owner cannot leave: make another member an owner first."
      : `${email} loses access immediately. API keys that they created are revoked, unless you keep them.`}
  >
    {status === "invited" ? null : (
      <Select
        name="keys"
        label="Their API keys"
        options={[["revoke", "Revoke them"], ["keep", "Keep them; they become mine"]]}
      />
    )}
  </Confirm>
)

const Members = ({ members }: { readonly members: ReadonlyArray<Member> }) => {
  const { person } = useVisit()
  const mayManage = useMay("update_member")
  return (
    <Panel id="members" title="Members" flush>
      <Table columns={["Person", "Status", "Role"]} actions>
        {members.map((member) => (
          <tr id={member.id}>
            <td class="lead">
              <b>
                {member.name ?? member.email}
              </b>
              {member.name === null ? null : (
                <p class="note">
                  {member.email}
                </p>
              )}
            </td>
            <td data-label="Status">
              {member.status === "active"
                ? (
                  <span>
                    <Badge tone="good">Active</Badge>{" "}
                    <span class="note">
                      since <Moment at={member.createdAt} style="day" />
                    </span>
                  </span>
                )
                : (
                  <span>
                    {member.mail === "captured"
                      ? <Badge tone="warn">Invited, mail captured</Badge>
                      : <Badge tone="calm">Invited</Badge>} {member.expiresAt === null ? null : (
                      <span class="note">
                        expires <Ago at={member.expiresAt} />
                      </span>
                    )}
                  </span>
                )}
            </td>
            <td data-label="Role">
              <ChangeRole member={member} />
            </td>
            <td class="end">
              {mayManage || member.userId === person.userId
                ? <RemoveMember member={member} self={member.userId === person.userId} />
                : null}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}

const Invite = () => {
  const { capturesMail } = useVisit()
  return (
    <Panel id="invite" title="Invite someone">
      <CallForm
        call="invite_member"
        id="invite-form"
        then="/app/members"
        said={capturesMail
          ? "Invitation captured, not sent: no mail server is set. Hand on its link from Mail"
          : "Invitation sent"}
        otherwise={<p class="note">Admins and owners invite people.</p>}
      >
        <Field name="email" type="email" label="Email" required attributes={{ maxlength: 254, autocomplete: "off" }} />
        <Select
          name="role"
          label="Role"
          value="member"
          options={roles}
          hint="Owners do everything. Admins do all except manage owners and delete the workspace. Members change monitors, pages and incidents. Viewers only read."
        />
        <Buttons>
          <button>{capturesMail ? "Create invitation" : "Send invitation"}</button>
        </Buttons>
        {capturesMail
          ? (
            <p class="note">
              No mail server is set, so the invitation is captured, not sent. The owner of the workspace finds its link under{" "}
              <a href="/app/mail">Mail</a>.
            </p>
          )
          : null}
      </CallForm>
    </Panel>
  )
}

const members = Effect.map(read("list_members"), ({ data }) => ({
  title: "Members",
  body: (
    <>
      <Head title="Members" note="Who has access to this workspace, and what they may do." />
      <div class="split">
        <Members members={data} />
        <Invite />
      </div>
    </>
  )
}))

export const membersView = view("/app/members", "members", members)
