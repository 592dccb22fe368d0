// Somebody new who signs in: name, e-mail and role; then the first password, shown this once.

import { Button, Group, Modal, Select, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import type { WithPassword } from "../api/people.ts";
import type { Role } from "../api/session.ts";
import { useChange } from "../api/setup.ts";
import { Fault } from "../parts/states.tsx";
import { TextField } from "../parts/text-field.tsx";
import { mayInWords, ROLES, rolesBeside } from "../words/roles.ts";
import { FirstPassword } from "./first-password.tsx";

interface NewPersonProps {
  /** Undefined: an operator. */
  readonly merchantId?: string;
}

export function NewPersonButton({ merchantId }: NewPersonProps) {
  const [opened, dialog] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={dialog.open}>
        {merchantId === undefined ? "Invite an operator" : "Invite somebody"}
      </Button>
      {opened && <NewPerson {...(merchantId !== undefined && { merchantId })} close={dialog.close} />}
    </>
  );
}

function NewPerson({ merchantId, close }: NewPersonProps & { readonly close: () => void }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>(merchantId === undefined ? "operator_read" : "viewer");
  const inviting = useChange<WithPassword>(() => ({
    path: merchantId === undefined ? "people" : `merchants/${merchantId}/people`,
    method: "POST",
    json: { name: name.trim(), email: email.trim(), role },
  }));
  const wrong = fieldsOf(inviting.error);
  if (inviting.data !== undefined) return <FirstPassword person={inviting.data.person} close={close} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    inviting.mutate();
  };
  return (
    <Modal opened onClose={close} title={<b>Invite somebody</b>} centered closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextField label="Name" value={name} set={setName} error={wrong.name} data-autofocus />
          <TextField label="E-mail" type="email" value={email} set={setEmail} error={wrong.email} />
          <RoleChoice role={role} set={setRole} error={wrong.role} />
          {inviting.isError && <Fault fault={inviting.error} shown={["name", "email", "role"]} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Not now
            </Button>
            <Button type="submit" loading={inviting.isPending}>
              Make a first password
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface RoleProps {
  readonly role: Role;
  readonly set: (role: Role) => void;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
}

/** Among the roles of the same kind. */
export function RoleChoice({ role, set, error, disabled = false }: RoleProps) {
  return (
    <Select
      label="Role"
      description={mayInWords(role)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      data={rolesBeside(role).map((value) => ({ value, label: ROLES[value] }))}
      value={role}
      onChange={(next) => set((next as Role | null) ?? role)}
      allowDeselect={false}
      disabled={disabled}
      error={error}
    />
  );
}
