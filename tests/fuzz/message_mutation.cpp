#include "tests/fuzz/message_mutation.h"

#include "tests/fuzz/mutation.h"

#include <vector>

namespace nestwright::fuzz {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// A field that is set.
struct Place {
  Message* message;
  const FieldDescriptor* field;
};

/// All fields that are set in the message and those within it, and the texts in them.
void collect(Message& message, std::vector<Place>& places, std::vector<std::string>& texts) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    places.push_back({&message, field});
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->type() == FieldDescriptor::TYPE_STRING)
        texts.push_back(field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                             : reflection.GetString(message, field));
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
        collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                     : *reflection.MutableMessage(&message, field),
                places, texts);
    }
  }
}

std::string otherText(const Place& place, const std::string& old,
                      const std::vector<std::string>& texts, const std::string& marker,
                      Random& random) {
  if (place.field->type() == FieldDescriptor::TYPE_BYTES) return mutatedBytes(old, old, random);
  switch (random.below(8)) {
  case 0:
    return nastyText(marker, random);
  case 1: // files beside the model
    return random.below(2) == 0 ? "pipe" : "link";
  default:
    return texts.empty() ? "" : random.pick(texts);
  }
}

/// Element `index` of a list, or the field itself.
void alterValue(const Place& place, int index, const std::vector<std::string>& texts,
                const std::string& marker, Random& random) {
  Message* message = place.message;
  const FieldDescriptor* field = place.field;
  const Reflection& reflection = *message->GetReflection();
  const bool list = field->is_repeated();
  const std::int64_t integer =
      random.below(2) == 0 ? extremeInteger(random) : static_cast<std::int64_t>(random.below(20));
  const double real = extremeReal(random);
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    list ? reflection.SetRepeatedInt32(message, field, index, static_cast<std::int32_t>(integer))
         : reflection.SetInt32(message, field, static_cast<std::int32_t>(integer));
    break;
  case FieldDescriptor::CPPTYPE_INT64:
    list ? reflection.SetRepeatedInt64(message, field, index, integer)
         : reflection.SetInt64(message, field, integer);
    break;
  case FieldDescriptor::CPPTYPE_UINT64:
    list ? reflection.SetRepeatedUInt64(message, field, index, static_cast<std::uint64_t>(integer))
         : reflection.SetUInt64(message, field, static_cast<std::uint64_t>(integer));
    break;
  case FieldDescriptor::CPPTYPE_FLOAT:
    list ? reflection.SetRepeatedFloat(message, field, index, static_cast<float>(real))
         : reflection.SetFloat(message, field, static_cast<float>(real));
    break;
  case FieldDescriptor::CPPTYPE_DOUBLE:
    list ? reflection.SetRepeatedDouble(message, field, index, real)
         : reflection.SetDouble(message, field, real);
    break;
  case FieldDescriptor::CPPTYPE_ENUM:
    list ? reflection.SetRepeatedEnumValue(message, field, index, static_cast<int>(integer))
         : reflection.SetEnumValue(message, field, static_cast<int>(integer));
    break;
  case FieldDescriptor::CPPTYPE_STRING: {
    const std::string old = list ? reflection.GetRepeatedString(*message, field, index)
                                 : reflection.GetString(*message, field);
    const std::string text = otherText(place, old, texts, marker, random);
    list ? reflection.SetRepeatedString(message, field, index, text)
         : reflection.SetString(message, field, text);
    break;
  }
  default: // a message or a type that ONNX does not have
    if (!list) reflection.ClearField(message, field);
  }
}

/// One more element like the given one.
void repeatElement(const Place& place, int index) {
  Message* message = place.message;
  const FieldDescriptor* field = place.field;
  const Reflection& reflection = *message->GetReflection();
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_MESSAGE: {
    const Message& element = reflection.GetRepeatedMessage(*message, field, index);
    std::unique_ptr<Message> copy(element.New());
    copy->CopyFrom(element);
    reflection.AddMessage(message, field)->CopyFrom(*copy);
    break;
  }
  case FieldDescriptor::CPPTYPE_STRING:
    reflection.AddString(message, field, reflection.GetRepeatedString(*message, field, index));
    break;
  case FieldDescriptor::CPPTYPE_INT64:
    reflection.AddInt64(message, field, reflection.GetRepeatedInt64(*message, field, index));
    break;
  default:
    break;
  }
}

void alterList(const Place& place, const std::vector<std::string>& texts, const std::string& marker,
               Random& random) {
  const Reflection& reflection = *place.message->GetReflection();
  const int size = reflection.FieldSize(*place.message, place.field);
  const int index = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
  switch (random.below(6)) {
  case 0:
    reflection.SwapElements(place.message, place.field, index, size - 1);
    reflection.RemoveLast(place.message, place.field);
    break;
  case 1:
    reflection.SwapElements(place.message, place.field, index,
                            static_cast<int>(random.below(static_cast<std::uint64_t>(size))));
    break;
  case 2:
    for (std::uint64_t i = random.below(8) == 0 ? 3000 : 1; i > 0; --i)
      repeatElement(place, index);
    break;
  default:
    alterValue(place, index, texts, marker, random);
  }
}

} // namespace

void alterMessage(Message& message, const std::string& marker, Random& random) {
  for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
    std::vector<Place> places;
    std::vector<std::string> texts;
    collect(message, places, texts);
    if (places.empty()) return;
    const Place place = random.pick(places);
    if (place.field->is_repeated())
      alterList(place, texts, marker, random);
    else if (random.below(8) == 0)
      place.message->GetReflection()->ClearField(place.message, place.field);
    else
      alterValue(place, 0, texts, marker, random);
  }
}

} // namespace nestwright::fuzz
