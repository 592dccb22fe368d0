// A text that has to be there, such as a name: what was typed, and what the API says of it.

import { TextInput, type TextInputProps } from "@mantine/core";

interface TextFieldProps extends Omit<TextInputProps, "value" | "onChange" | "error"> {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly error?: string | undefined;
}

export function TextField({ set, ...field }: TextFieldProps) {
  return <TextInput {...field} onChange={({ currentTarget: { value } }) => set(value)} required withAsterisk={false} />;
}
