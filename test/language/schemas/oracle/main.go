// Prints the verdicts of gojsonschema, the library of the original, on the corpus that standard input has as JSON: for each
// schema a line with a letter for each value, `v` valid, `i` invalid, or `e` if the schema is rejected.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/xeipuuv/gojsonschema"
)

type corpus struct {
	Schemas []json.RawMessage
	Values  []string
}

func main() {
	var read corpus
	if err := json.NewDecoder(os.Stdin).Decode(&read); err != nil {
		panic(err)
	}
	for _, schema := range read.Schemas {
		line := ""
		for _, value := range read.Values {
			line += verdict(schema, value)
		}
		fmt.Println(line)
	}
}

func verdict(schema json.RawMessage, value string) string {
	compiled, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(schema))
	if err != nil {
		return "e"
	}
	result, err := compiled.Validate(gojsonschema.NewStringLoader(value))
	if err != nil {
		return "e"
	}
	if result.Valid() {
		return "v"
	}
	return "i"
}
