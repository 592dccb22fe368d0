// Reads Kubernetes objects as YAML from standard input, and decodes each by Kubernetes' own types, and the Prometheus operator's: an unknown
// or doubled field, a wrong type or an unknown kind ends it with an error. Prints each object as a line of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if err := decode(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func decode() error {
	if err := monitoring.AddToScheme(scheme.Scheme); err != nil {
		return err
	}
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var anything any
		if err := yaml.Unmarshal(document, &anything); err != nil {
			return err
		}
		if anything == nil {
			continue
		}
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			return fmt.Errorf("%w in:\n%s", err, document)
		}
		if err := out.Encode(object); err != nil {
			return err
		}
	}
}
